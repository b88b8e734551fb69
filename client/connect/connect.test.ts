import assert from 'node:assert/strict'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { assertEnded, it, SCOPE } from '../../test/service/command-line.ts'

const TOKEN = '/api/oauth/token'
const METADATA = '/.well-known/oauth-authorization-server'
const pending = { status: 400, body: { error: 'authorization_pending' } }
const slowDown = { status: 400, body: { error: 'slow_down' } }

describe('connect', () => {
  it('prints to standard error: address and code, then user, server, scopes', async ({ peer, terminal }) => {
    const { code, out, err } = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)

    assert.deepEqual([code, out], [0, ''])
    assert.ok(
      err.includes(`Open ${peer.url}/oauth/authorize?user_code=BCDF-GHJK\nand compare the code BCDF-GHJK\n`),
      err,
    )
    assert.ok(err.includes(`Connected "prod" to ${peer.url} as Ann <ann@example.com>\nScopes: ${SCOPE}`), err)
    assert.doesNotMatch(err, /access-|refresh-/)
  })

  it('takes arguments by name too, and asks for the transport scopes as well', async ({ peer, terminal }) => {
    await terminal.run(`connect --server ${peer.url} --scopes ${SCOPE},account:credits:read --name prod`)

    const form = new URLSearchParams(peer.heardAt('/api/oauth/device_authorization')[0]?.body)
    assert.deepEqual(Object.fromEntries(form), {
      client_id: 'cli-client',
      scope: `api_access offline_access ${SCOPE} account:credits:read`,
    })
  })

  it('keeps polling, obeys slow_down and survives lost connections', async ({ peer, terminal }) => {
    const tooMany = { status: 429, headers: { 'retry-after': '7' }, body: 'too many requests' }
    const badGateway = { status: 502, body: 'bad gateway' }
    peer.next(TOKEN, pending, slowDown, pending, 'drop', badGateway, tooMany)

    const { code } = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)

    assert.equal(code, 0)
    assert.deepEqual(terminal.sleptMilliseconds, [5000, 5000, 10_000, 10_000, 15_000, 20_000, 25_000])
  })

  it('gives up if the user denies, or if the code expires, as the server says or by the clock', async ({
    peer,
    terminal,
  }) => {
    const failed = (error: string) => ({ status: 400, body: { error } })
    const told = [pending, failed('expired_token')]
    peer.next(TOKEN, failed('access_denied'), ...told, ...Array(120).fill(pending))

    const expired = /the request expired; run the command again/
    for (const words of [/denied in the browser/, expired, expired]) {
      const { code, err } = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)
      assert.equal(code, 1)
      assert.match(err, words)
    }
    assert.equal(peer.heardAt(TOKEN).length, 123)
  })

  it('exits cleanly on Ctrl-C and stores nothing', async ({ peer, terminal }) => {
    peer.next(TOKEN, ...Array(50).fill(pending))

    const { code, err } = await terminal.run(`connect prod ${peer.url} ${SCOPE}`, {
      onTalk: (said, interrupt) => said.includes('Waiting') && interrupt(),
    })

    assert.equal(code, 130)
    assert.doesNotMatch(err, /at .*\.ts|Error/)
    assert.equal((await terminal.run('status prod')).code, 3)
  })

  it('opens a browser only on a screen, and never with --no-browser', async ({ peer, terminal }) => {
    const to = `${peer.url} ${SCOPE}`
    const atScreen = { isTTY: true, env: { DISPLAY: ':0' } }
    const remote = { isTTY: true, env: { DISPLAY: ':0', SSH_CONNECTION: 'x' } }

    await terminal.run(`connect a ${to}`)
    await terminal.run(`connect b ${to} --no-browser`, atScreen)
    await terminal.run(`connect c ${to}`, remote)
    assert.deepEqual(terminal.pages, [])

    await terminal.run(`connect d ${to}`, atScreen)
    assert.deepEqual(terminal.pages, [`${peer.url}/oauth/authorize?user_code=BCDF-GHJK`])
  })

  it('needs --force for a name in use, and then revokes its grant alone', async ({ peer, connected }) => {
    await connected.run(`connect other ${peer.url} ${SCOPE}`)

    const plain = await connected.run(`connect prod ${peer.url} ${SCOPE}`)
    const forced = await connected.run(`connect prod ${peer.url} ${SCOPE} --force`)

    assert.deepEqual([plain.code, forced.code], [2, 0])
    assert.match(plain.err, /--force replaces it and revokes the old grant/)
    const revoked = peer.heardAt('/api/oauth/revoke').map(({ body }) => new URLSearchParams(body).get('token'))
    assert.deepEqual([revoked, (await connected.run('status --check')).code], [['refresh-1'], 0])
  })

  it('checklist 78: removes control characters from what the server says', async ({ peer, terminal }) => {
    const error_description = 'no\u001b]0;owned\u0007 \u009b2J\u202eway'
    const refused = { status: 400, body: { error: 'invalid_scope', error_description } }
    peer.next('/api/oauth/device_authorization', refused)

    const ended = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)

    assertEnded(ended, 1, /refused: no \]0;owned 2J way/)
  })

  it('checklist 78: drops what cannot be a scope from those that a server names', async ({ peer, terminal }) => {
    const odd = ['$(touch\u00a0/tmp/x)', '`id`:a:read', '\u001b[31mconfig:ai:read']
    const scope = [SCOPE, ...odd, 'config:ai:read'].join(' ')
    peer.next(TOKEN, { body: { access_token: 'a', token_type: 'Bearer', expires_in: 900, scope } })

    const connected = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)
    const refused = await terminal.run('request prod POST /api/x')

    assert.match(connected.err, /^Scopes: account:profile:read, config:ai:read$/m)
    assert.equal(refused.code, 4)
    assert.match(refused.err, /run `gatehouse connect prod \S+ account:profile:read,config:ai:read --force`/)
  })

  it('takes a token on standard input, never as an argument', async ({ peer, connected }) => {
    const given = await connected.run(`connect given ${peer.url} --token-stdin`, { stdin: 'access-1\n' })
    const wrong = await connected.run(`connect wrong ${peer.url} --token-stdin`, { stdin: 'nobody\n' })
    const argument = await connected.run(`connect argument ${peer.url} ${SCOPE} --token access-1`)

    assert.deepEqual([given.code, wrong.code, argument.code], [0, 4, 2])
    assert.match(given.err, /as Ann/)
    assert.equal((await connected.run('request given POST /api/x')).code, 0)
  })

  it('keeps the connection with a warning if the user is not named', async ({ peer, terminal }) => {
    peer.next('/api/auth/get-session', 'drop')

    const { code, err } = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)

    assert.equal(code, 0)
    assert.match(err, /connected, but no response/)
    assert.equal((await terminal.run('request prod POST /api/x')).code, 0)
  })

  it('prints the new connection as JSON without a token', async ({ peer, terminal }) => {
    const { out } = await terminal.run(`connect prod ${peer.url} ${SCOPE} --json`)

    const { name, server, scopes, user } = JSON.parse(out)
    assert.deepEqual([name, server, scopes, user.email], ['prod', peer.url, [SCOPE], 'ann@example.com'])
    assert.doesNotMatch(out, /access-|refresh-/)
    assert.match(await readFile(join(terminal.folder, 'connections', 'prod.json'), 'utf8'), /refresh-1/)
  })
})

describe('the folder of connections', () => {
  it('has modes 0600 and 0700, and is tightened with a warning', async ({ connected }) => {
    const paths = ['', 'connections', 'connections/prod.json'].map((name) => join(connected.folder, name))
    const modes = () => Promise.all(paths.map(modeOf))
    const [folder = '', , file = ''] = paths
    const fresh = await modes()
    await chmod(file, 0o644)
    await chmod(folder, 0o755)

    const ended = await connected.run('status prod')

    assertEnded(ended, 0, /prod\.json was open to other users \(mode 644\) and is 600 now/)
    assert.deepEqual([fresh, await modes()], Array(2).fill([0o700, 0o700, 0o600]))
  })

  it('is refused, and left as it is, if it is shared, or open with other files', async ({ terminal }) => {
    await chmod(terminal.folder, 0o1777)
    const shared = await terminal.run('status')
    assert.equal(await modeOf(terminal.folder), 0o777)
    await writeFile(join(terminal.folder, 'hosts'), '')
    await chmod(terminal.folder, 0o755)
    const open = await terminal.run('status')

    assert.deepEqual([shared.code, open.code, await modeOf(terminal.folder)], [1, 1, 0o755])
    assert.match(shared.err, /not yours alone/)
    assert.match(open.err, /^gatehouse: \S+ has other files and is open to other users; set GATEHOUSE_CONFIG_DIR/)
  })
})

describe('the server’s address', () => {
  it('is an origin alone', async ({ terminal }) => {
    for (const origin of ['https://ann:pw@example.com', 'https://example.com/path', 'https://example.com/?q=1']) {
      const ended = await terminal.run(`connect prod ${origin} ${SCOPE}`)
      assertEnded(ended, 2, /give (its origin|only https:\/\/example.com)/, origin)
    }
  })

  it('without a scheme has http for this machine, by any name, else https', async ({ peer, terminal }) => {
    const { host, port } = new URL(peer.url)
    const connect = (name: string, server: string) => terminal.run(`connect ${name} ${server} ${SCOPE}`)

    const here = await connect('here', host)
    const named = await connect('named', `http://localhost:${port}`)
    assert.deepEqual([here.code, named.code], [0, 0], here.err + named.err)
    assert.match((await connect('nobody', 'localhost:9')).err, /http:\/\/localhost:9\b/)
    assert.match((await connect('six', '[::1]:9')).err, /http:\/\/\[::1\]:9\b/)
    assert.match((await connect('elsewhere', 'gatehouse.invalid:9')).err, /https:\/\/gatehouse\.invalid:9\b/)
  })

  it('is where pages are opened and tokens are sent, and nowhere else', async ({ peer, terminal }) => {
    const device = {
      device_code: 'd',
      user_code: 'u',
      expires_in: 600,
      verification_uri: 'https://evil.example/',
    }
    peer.next(METADATA, { body: { issuer: peer.url, token_endpoint: 'https://evil.example/token' } })
    peer.next('/api/oauth/device_authorization', { body: device })

    const endpoint = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)
    const page = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)

    assert.deepEqual([endpoint.code, page.code], [1, 1])
    assert.match(page.err, /expected a page of its own/)
  })

  it('must be the one that the server calls itself, which the error names', async ({ peer, terminal }) => {
    peer.next(METADATA, { body: { issuer: 'https://id.example.com' } })

    const ended = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)

    assertEnded(ended, 2, /calls itself https:\/\/id\.example\.com; connect to that address/)
  })
})

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}
