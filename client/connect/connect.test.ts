import assert from 'node:assert/strict'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { startPeer } from '../../test/processes/peer-server.ts'
import { openTerminal } from '../../test/processes/terminal/terminal.ts'

const scope = 'account:profile:read'
const token = '/api/oauth/token'
const pending = { status: 400, body: { error: 'authorization_pending' } }
const slowDown = { status: 400, body: { error: 'slow_down' } }

describe('connect', () => {
  it('prints the address and code to standard error, and then the user, the server and the scopes', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()

    const { code, out, err } = await terminal.run(['connect', 'prod', peer.url, scope])

    assert.equal(code, 0)
    assert.equal(out, '')
    assert.match(err, new RegExp(`Open ${peer.url}/oauth/authorize\nand enter the code BCDF-GHJK`))
    assert.match(
      err,
      new RegExp(`Connected "prod" to ${peer.url} as Ann <ann@example.com>\nScopes: ${scope}`),
    )
    assert.doesNotMatch(err, /access-|refresh-/)
  })

  it('takes every argument by name too, and asks for the transport scopes besides the business ones', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()

    await terminal.run([
      'connect',
      '--server',
      peer.url,
      '--scopes',
      `${scope},account:credits:read`,
      '--name',
      'prod',
    ])

    const [asked] = peer.heardAt('/api/oauth/device_authorization')
    const form = new URLSearchParams(asked?.body)
    assert.equal(form.get('client_id'), 'cli-client')
    assert.equal(form.get('scope'), `api_access offline_access ${scope} account:credits:read`)
  })

  it('keeps credentials in a 0600 file in 0700 folders', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()

    await terminal.run(['connect', 'prod', peer.url, scope])

    assert.equal(await modeOf(terminal.folder), 0o700)
    assert.equal(await modeOf(join(terminal.folder, 'connections')), 0o700)
    assert.equal(await modeOf(join(terminal.folder, 'connections', 'prod.json')), 0o600)
  })

  it('tightens permissions that are too open, with a warning', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    const file = join(terminal.folder, 'connections', 'prod.json')
    await terminal.run(['connect', 'prod', peer.url, scope])
    await chmod(file, 0o644)
    await chmod(terminal.folder, 0o755)

    const { code, err } = await terminal.run(['status', 'prod'])

    assert.equal(code, 0)
    assert.match(err, /prod\.json was open to other users \(mode 644\) and is 600 now/)
    assert.deepEqual([await modeOf(file), await modeOf(terminal.folder)], [0o600, 0o700])
  })

  it('refuses a folder that is shared with others', async () => {
    await using terminal = await openTerminal()
    await chmod(terminal.folder, 0o1777)

    const { code, err } = await terminal.run(['status'])

    assert.equal(code, 1)
    assert.match(err, /not yours alone/)
    assert.equal(await modeOf(terminal.folder), 0o777)
  })

  it('refuses an open folder with other files, and leaves its permissions as they are', async () => {
    await using terminal = await openTerminal()
    await writeFile(join(terminal.folder, 'hosts'), '')
    await chmod(terminal.folder, 0o755)

    const { code, err } = await terminal.run(['status'])

    assert.equal(code, 1)
    assert.match(err, /^gatehouse: \S+ has other files and is open to other users; set GATEHOUSE_CONFIG_DIR/)
    assert.equal(await modeOf(terminal.folder), 0o755)
  })

  it('keeps polling, obeys slow_down and survives lost connections', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    const tooMany = { status: 429, headers: { 'retry-after': '7' }, body: 'too many requests' }
    const badGateway = { status: 502, body: 'bad gateway' }
    peer.next(token, pending, slowDown, pending, 'drop', badGateway, tooMany)

    const { code } = await terminal.run(['connect', 'prod', peer.url, scope])

    assert.equal(code, 0)
    assert.deepEqual(terminal.sleptMilliseconds, [5000, 5000, 10_000, 10_000, 15_000, 20_000, 25_000])
  })

  it('gives up when the code has expired, by the server’s response or by the clock', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    peer.next(token, pending, { status: 400, body: { error: 'expired_token' } }, ...Array(120).fill(pending))

    const told = await terminal.run(['connect', 'prod', peer.url, scope])
    const timed = await terminal.run(['connect', 'prod', peer.url, scope])

    for (const { code, err } of [told, timed]) {
      assert.equal(code, 1)
      assert.match(err, /the request expired; run the command again/)
    }
    assert.equal(peer.heardAt(token).length, 122)
  })

  it('ends with 1 if the user denies', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    peer.next(token, { status: 400, body: { error: 'access_denied' } })

    const { code, err } = await terminal.run(['connect', 'prod', peer.url, scope])

    assert.equal(code, 1)
    assert.match(err, /denied in the browser/)
  })

  it('exits cleanly on Ctrl-C and stores nothing', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    peer.next(token, ...Array(50).fill(pending))

    const { code, err } = await terminal.run(['connect', 'prod', peer.url, scope], {
      onTalk: (said, interrupt) => said.includes('Waiting') && interrupt(),
    })

    assert.equal(code, 130)
    assert.doesNotMatch(err, /at .*\.ts|Error/)
    assert.equal((await terminal.run(['status', 'prod'])).code, 3)
  })

  it('opens a browser only on a terminal with a screen, and never with --no-browser', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    const atScreen = { isTTY: true, env: { DISPLAY: ':0' } }

    await terminal.run(['connect', 'a', peer.url, scope])
    await terminal.run(['connect', 'b', peer.url, scope, '--no-browser'], atScreen)
    await terminal.run(['connect', 'c', peer.url, scope], {
      ...atScreen,
      env: { DISPLAY: ':0', SSH_CONNECTION: 'x' },
    })
    assert.deepEqual(terminal.pages, [])

    await terminal.run(['connect', 'd', peer.url, scope], atScreen)
    assert.deepEqual(terminal.pages, [`${peer.url}/oauth/authorize?user_code=BCDF-GHJK`])
  })

  it('needs --force for a name that exists, and then revokes the old grant and no other', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'prod', peer.url, scope])
    await terminal.run(['connect', 'other', peer.url, scope])

    const plain = await terminal.run(['connect', 'prod', peer.url, scope])
    const forced = await terminal.run(['connect', 'prod', peer.url, scope, '--force'])

    assert.equal(plain.code, 2)
    assert.match(plain.err, /--force replaces it and revokes the old grant/)
    assert.equal(forced.code, 0)
    assert.deepEqual(
      peer.heardAt('/api/oauth/revoke').map(({ body }) => new URLSearchParams(body).get('token')),
      ['refresh-1'],
    )
    assert.equal((await terminal.run(['status', '--check'])).code, 0)
  })

  it('refuses names that cannot be file names and scopes that are not scopes', async () => {
    await using terminal = await openTerminal()

    for (const name of ['../prod', '', '.hidden', 'a/b', 'x'.repeat(65), 'prod\n']) {
      assert.equal((await terminal.run(['connect', name, 'https://example.com', scope])).code, 2, name)
    }
    for (const scopes of ['', 'api_access', 'account:profile:read;x', 'account:profile:admin']) {
      assert.equal((await terminal.run(['connect', 'prod', 'https://example.com', scopes])).code, 2, scopes)
    }
  })

  it('checklist 78: removes control characters from what the server says', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    const hostile = 'no\u001b]0;owned\u0007 \u009b2J\u202eway'
    peer.next('/api/oauth/device_authorization', {
      status: 400,
      body: { error: 'invalid_scope', error_description: hostile },
    })

    const { code, err } = await terminal.run(['connect', 'prod', peer.url, scope])

    assert.equal(code, 1)
    assert.match(err, /refused: no \]0;owned 2J way/)
  })

  it('checklist 78: drops what cannot be a scope from those that a server names', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    const scopes = [
      scope,
      '$(touch\u00a0/tmp/x)',
      '`id`:a:read',
      '\u001b[31mconfig:ai:read',
      'config:ai:read',
    ]
    peer.next(token, {
      body: { access_token: 'a', token_type: 'Bearer', expires_in: 900, scope: scopes.join(' ') },
    })

    const connected = await terminal.run(['connect', 'prod', peer.url, scope])
    const refused = await terminal.run(['request', 'prod', 'POST', '/api/x'])

    assert.match(connected.err, /^Scopes: account:profile:read, config:ai:read$/m)
    assert.equal(refused.code, 4)
    assert.match(refused.err, /run `gatehouse connect prod \S+ account:profile:read,config:ai:read --force`/)
  })

  it('takes a token on standard input, never as an argument, and asks the server for its user', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'first', peer.url, scope])

    const given = await terminal.run(['connect', 'given', peer.url, '--token-stdin'], { stdin: 'access-1\n' })
    const wrong = await terminal.run(['connect', 'wrong', peer.url, '--token-stdin'], { stdin: 'nobody\n' })
    const argument = await terminal.run(['connect', 'argument', peer.url, scope, '--token', 'access-1'])

    assert.deepEqual([given.code, wrong.code, argument.code], [0, 4, 2])
    assert.match(given.err, /as Ann/)
    assert.equal((await terminal.run(['request', 'given', 'POST', '/api/x'])).code, 0)
  })

  it('keeps the connection with a warning if the server cannot name its user', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    peer.next('/api/auth/get-session', 'drop')

    const { code, err } = await terminal.run(['connect', 'prod', peer.url, scope])

    assert.equal(code, 0)
    assert.match(err, /connected, but no response/)
    assert.equal((await terminal.run(['request', 'prod', 'POST', '/api/x'])).code, 0)
  })

  it('prints the new connection as JSON without a token', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()

    const { out } = await terminal.run(['connect', 'prod', peer.url, scope, '--json'])

    const printed = JSON.parse(out)
    assert.deepEqual([printed.name, printed.server, printed.scopes], ['prod', peer.url, [scope]])
    assert.equal(printed.user.email, 'ann@example.com')
    assert.doesNotMatch(out, /access-|refresh-/)
    assert.match(await readFile(join(terminal.folder, 'connections', 'prod.json'), 'utf8'), /refresh-1/)
  })
})

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}
