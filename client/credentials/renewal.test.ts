import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { startPeer } from '../../test/processes/peer-server.ts'
import { runProgram, startProgram } from '../../test/processes/program.ts'
import { assertEnded, it, type Machine, SCOPE } from '../../test/service/command-line.ts'

const TOKEN = '/api/oauth/token'
const REQUEST = 'request prod POST /api/x'
const UNAUTHORIZED = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  body: { code: 'UNAUTHORIZED' },
}

describe('an access token that has expired', () => {
  it('is renewed before the request, and the new pair is kept', async ({ peer, clock, connected }) => {
    clock.advance({ hours: 1 })

    const codes = [(await connected.run(REQUEST)).code, (await connected.run(REQUEST)).code]

    assert.deepEqual(codes, [0, 0])
    assert.deepEqual(
      peer.heardAt('/api/x').map(({ headers }) => headers.authorization),
      ['Bearer access-2', 'Bearer access-2'],
    )
  })

  it('is renewed too if only the server knows that it has expired', async ({ peer, connected }) => {
    peer.next('/api/x', UNAUTHORIZED)

    const { code, out } = await connected.run(`${REQUEST} {"a":1}`)

    assert.deepEqual([code, JSON.parse(out), peer.heardAt('/api/x').length], [0, { heard: '{"a":1}' }, 2])
  })

  it('is not renewed after a 401 without a Bearer challenge', async ({ peer, connected }) => {
    peer.next('/api/x', { status: 401, body: { code: 'INVALID_EMAIL_OR_PASSWORD' } })

    assert.deepEqual([(await connected.run(REQUEST)).code, peer.heardAt('/api/x').length], [1, 1])
  })

  it('that is refused again once renewed ends with 4 and keeps the grant', async ({ peer, connected }) => {
    peer.next('/api/x', UNAUTHORIZED, UNAUTHORIZED)

    const { code, err } = await connected.run(REQUEST)

    assert.equal(code, 4)
    assert.match(err, /connect prod .* --force/)
    assert.equal((await connected.run('status prod --check')).code, 0)
  })
})

const FIREWALL = /it returned 40[13].*a proxy or firewall may be in front of it; the connection "prod" is kept/
const KEPT = [
  ["403 with a firewall's page", { status: 403, body: '<h1>Blocked</h1>' }, FIREWALL],
  [
    "401 with a proxy's challenge",
    { status: 401, body: '', headers: { 'www-authenticate': 'Basic realm="hotel"' } },
    FIREWALL,
  ],
  [
    '429',
    { status: 429, headers: { 'retry-after': '20' }, body: { error: 'temporarily_unavailable' } },
    /returned 429; try again in 20 s.*"prod" is kept/,
  ],
  [
    '429 in the words of another server',
    { status: 429, body: { error: 'invalid_grant' } },
    /returned 429; try again later.*"prod" is kept/,
  ],
  ['404', { status: 404, body: { code: 'NOT_FOUND' } }, /returned 404.*"prod" is kept/],
  [
    '400 invalid_client',
    { status: 400, body: { error: 'invalid_client', error_description: 'Unknown \u001b[31mclient' } },
    /refused: Unknown \[31mclient.*"prod" is kept/,
  ],
  [
    'a page of something else',
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' },
    /does not look like a Gatehouse server.*"prod" is kept/,
  ],
  ['503 each time', { status: 503, body: '' }, /returned 503; try again later.*"prod" is kept/],
  ['by no server', 'drop', /no response from .*"prod" is kept/],
] as const

describe('a refresh', () => {
  it.for([400, 401])(
    'answered %i invalid_grant removes that connection alone, and says how to reconnect',
    async (status, { peer, clock, connected }) => {
      await connected.run(`connect other ${peer.url} ${SCOPE}`)
      clock.advance({ hours: 1 })
      peer.next(TOKEN, { status, body: { error: 'invalid_grant' } })

      const { code, err } = await connected.run(REQUEST)

      assert.equal(code, 4)
      assert.ok(err.includes(`run \`gatehouse connect prod ${peer.url} ${SCOPE}\``), err)
      assert.equal((await connected.run('status prod')).code, 3)
      assert.equal((await connected.run('request other POST /api/x')).code, 0)
    },
  )

  it.for(KEPT)(
    'answered %s removes nothing and says what to do',
    async ([, answer, words], { peer, clock, connected }) => {
      clock.advance({ hours: 1 })
      const isRepeated = answer === 'drop' || answer.status === 503
      peer.next(TOKEN, ...Array(isRepeated ? 3 : 1).fill(answer))

      const { code, err } = await connected.run(REQUEST)

      assert.equal(code, 1, err)
      assert.match(err, words)
      assert.equal(err.trimEnd().split('\n').length, 1, err)
      assert.deepEqual([peer.heardAt('/api/x').length, (await connected.run(REQUEST)).code], [0, 0])
    },
  )

  it('that finds another connection sends its token to no old server', async ({ peer, clock, connected }) => {
    await using other = await startPeer()
    peer.next('/api/x', 'hold')
    const asked = peer.hears('/api/x')

    const asking = connected.run(REQUEST)
    await asked
    clock.advance({ seconds: 1 })
    await connected.run(`connect prod ${other.url} ${SCOPE} --force`)
    peer.release('/api/x', UNAUTHORIZED)
    const ended = await asking

    assertEnded(ended, 1, /reconnected in the meantime/)
    assert.doesNotMatch(peer.heard.map(({ headers }) => headers.authorization).join(), /access-2/)
  })

  it('whose answer is lost is repeated at once', async ({ peer, clock, connected }) => {
    clock.advance({ hours: 1 })
    peer.next(TOKEN, 'drop')

    assert.equal((await connected.run(REQUEST)).code, 0)
  })

  it('that something other than Gatehouse answers removes nothing', async ({ peer, clock, connected }) => {
    clock.advance({ hours: 1 })
    peer.next('/.well-known/oauth-authorization-server', { status: 404, body: 'a login page of the hotel' })

    assert.deepEqual([(await connected.run(REQUEST)).code, (await connected.run(REQUEST)).code], [1, 0])
  })
})

describe('clients at once', () => {
  it('if ten find the token expired, one refreshes and all continue', async ({ peer, connected }) => {
    await expire(connected)

    const ended = await Promise.all(Array.from({ length: 10 }, () => runProgram(REQUEST.split(' '), envOf(connected))))

    assert.deepEqual(
      ended.map(({ code, err }) => [code, err]),
      Array(10).fill([0, '']),
    )
    assert.equal(peer.heardAt(TOKEN).filter(({ body }) => body.includes('refresh_token')).length, 1)
    assert.equal((await kept(connected)).refresh_token, 'refresh-2')
  })

  it('killed in the middle of a refresh leave whole credentials and no lock', async ({ peer, connected }) => {
    await expire(connected)
    peer.next(TOKEN, 'hold')
    const asked = peer.hears(TOKEN)

    const doomed = startProgram(REQUEST.split(' '), envOf(connected))
    await asked
    doomed.kill('SIGKILL')
    await once(doomed, 'close')
    const next = await runProgram(REQUEST.split(' '), envOf(connected))

    assert.equal(next.code, 0, next.err)
    assert.equal((await kept(connected)).refresh_token, 'refresh-2')
  })

  it('exit cleanly on a real Ctrl-C', async ({ peer, terminal }) => {
    peer.next(TOKEN, { status: 400, body: { error: 'authorization_pending' } })
    const child = startProgram(['connect', 'prod', peer.url, SCOPE], envOf(terminal))
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += chunk
      if (String(chunk).includes('Ctrl-C')) child.kill('SIGINT')
    })

    const [code] = await once(child, 'close')

    assert.equal(code, 130)
    assert.match(said, /cancelled\n$/)
    assert.equal((await terminal.run('status prod')).code, 3)
  })
})

function envOf({ folder }: Machine) {
  return { GATEHOUSE_CONFIG_DIR: folder }
}

/** Real programs run here, whose clock no test can set. */
async function expire(machine: Machine): Promise<void> {
  await writeFile(fileIn(machine), JSON.stringify({ ...(await kept(machine)), access_expires_at: 1 }))
}

async function kept(machine: Machine): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(fileIn(machine), 'utf8'))
}

function fileIn({ folder }: Machine): string {
  return join(folder, 'connections', 'prod.json')
}
