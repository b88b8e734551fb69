import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { type PeerServer, startPeer } from '../../test/processes/peer-server.ts'
import { runProgram, startProgram } from '../../test/processes/program.ts'
import { openTerminal, type Terminal } from '../../test/processes/terminal/terminal.ts'
import { SettableClock } from '../../test/service/fakes/settable-clock.ts'

const scope = 'account:profile:read'
const token = '/api/oauth/token'

describe('an access token that has expired', () => {
  it('is renewed before the request, and the new pair is kept', async () => {
    await using peer = await startPeer()
    const clock = new SettableClock()
    await using terminal = await connected(peer, clock, 'prod')
    clock.advance({ hours: 1 })

    const first = await terminal.run(['request', 'prod', 'POST', '/api/x'])
    const second = await terminal.run(['request', 'prod', 'POST', '/api/x'])

    assert.deepEqual([first.code, second.code], [0, 0])
    assert.deepEqual(
      peer.heardAt('/api/x').map(({ headers }) => headers.authorization),
      ['Bearer access-2', 'Bearer access-2'],
    )
  })

  it('is renewed too if only the server knows that it has expired', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer, new SettableClock(), 'prod')
    peer.next('/api/x', unauthorized)

    const { code, out } = await terminal.run(['request', 'prod', 'POST', '/api/x', '{"a":1}'])

    assert.equal(code, 0)
    assert.deepEqual(JSON.parse(out), { heard: '{"a":1}' })
    assert.equal(peer.heardAt('/api/x').length, 2)
  })

  it('is not renewed after a 401 without a Bearer challenge', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer, new SettableClock(), 'prod')
    peer.next('/api/x', { status: 401, body: { code: 'INVALID_EMAIL_OR_PASSWORD' } })

    assert.equal((await terminal.run(['request', 'prod', 'POST', '/api/x'])).code, 1)
    assert.equal(peer.heardAt('/api/x').length, 1)
  })

  it('that is refused again after it was renewed ends with 4 and keeps the grant', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer, new SettableClock(), 'prod')
    peer.next('/api/x', unauthorized, unauthorized)

    const { code, err } = await terminal.run(['request', 'prod', 'POST', '/api/x'])

    assert.equal(code, 4)
    assert.match(err, /connect prod .* --force/)
    assert.equal((await terminal.run(['status', 'prod', '--check'])).code, 0)
  })
})

describe('a refresh', () => {
  for (const status of [400, 401]) {
    it(`answered ${status} invalid_grant removes that connection alone, and says how to reconnect`, async () => {
      await using peer = await startPeer()
      const clock = new SettableClock()
      await using terminal = await connected(peer, clock, 'prod', 'other')
      clock.advance({ hours: 1 })
      peer.next(token, { status, body: { error: 'invalid_grant' } })

      const { code, err } = await terminal.run(['request', 'prod', 'POST', '/api/x'])

      assert.equal(code, 4)
      assert.match(err, new RegExp(`run \`gatehouse connect prod ${peer.url} ${scope}\``))
      assert.equal((await terminal.run(['status', 'prod'])).code, 3)
      assert.equal((await terminal.run(['request', 'other', 'POST', '/api/x'])).code, 0)
    })
  }

  for (const { answer, given, words } of [
    {
      answer: "403 with a firewall's page",
      given: { status: 403, body: '<h1>Blocked</h1>' },
      words: /it returned 403.*a proxy or firewall may be in front of it; the connection "prod" is kept/,
    },
    {
      answer: "401 with a proxy's challenge",
      given: { status: 401, body: '', headers: { 'www-authenticate': 'Basic realm="hotel"' } },
      words: /it returned 401.*a proxy or firewall may be in front of it; the connection "prod" is kept/,
    },
    {
      answer: '429',
      given: { status: 429, headers: { 'retry-after': '20' }, body: { error: 'temporarily_unavailable' } },
      words: /returned 429; try again in 20 s.*"prod" is kept/,
    },
    {
      answer: '429 in the words of another server',
      given: { status: 429, body: { error: 'invalid_grant' } },
      words: /returned 429; try again later.*"prod" is kept/,
    },
    {
      answer: '404',
      given: { status: 404, body: { code: 'NOT_FOUND', message: 'Page not found.' } },
      words: /returned 404.*"prod" is kept/,
    },
    {
      answer: '400 invalid_client',
      given: {
        status: 400,
        body: { error: 'invalid_client', error_description: 'Unknown \u001b[31mclient' },
      },
      words: /refused: Unknown \[31mclient.*"prod" is kept/,
    },
    {
      answer: 'a page of something else',
      given: { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' },
      words: /does not look like a Gatehouse server.*"prod" is kept/,
    },
  ]) {
    it(`answered ${answer} removes nothing and says what to do`, async () => {
      await using peer = await startPeer()
      const clock = new SettableClock()
      await using terminal = await connected(peer, clock, 'prod')
      clock.advance({ hours: 1 })
      peer.next(token, given)

      const { code, err } = await terminal.run(['request', 'prod', 'POST', '/api/x'])

      assert.equal(code, 1, err)
      assert.match(err, words)
      assert.equal(err.trimEnd().split('\n').length, 1, err)
      assert.equal((await terminal.run(['request', 'prod', 'POST', '/api/x'])).code, 0)
    })
  }

  it('answered 503 each time removes nothing and names the answer', async () => {
    await using peer = await startPeer()
    const clock = new SettableClock()
    await using terminal = await connected(peer, clock, 'prod')
    clock.advance({ hours: 1 })
    peer.next(token, ...Array(3).fill({ status: 503, body: '' }))

    const { code, err } = await terminal.run(['request', 'prod', 'POST', '/api/x'])

    assert.equal(code, 1)
    assert.match(err, /returned 503; try again later.*"prod" is kept/)
    assert.equal((await terminal.run(['request', 'prod', 'POST', '/api/x'])).code, 0)
  })

  it('that reaches no server removes nothing', async () => {
    await using peer = await startPeer()
    const clock = new SettableClock()
    await using terminal = await connected(peer, clock, 'prod')
    clock.advance({ hours: 1 })
    peer.next(token, 'drop', 'drop', 'drop')

    const { code, err } = await terminal.run(['request', 'prod', 'POST', '/api/x'])

    assert.equal(code, 1)
    assert.match(err, /no response from .*"prod" is kept/)
    assert.equal(peer.heardAt('/api/x').length, 0)
    assert.equal((await terminal.run(['request', 'prod', 'POST', '/api/x'])).code, 0)
  })

  it('that finds another connection under its name does not send the new token to the old server', async () => {
    await using peer = await startPeer()
    await using other = await startPeer()
    const clock = new SettableClock()
    await using terminal = await connected(peer, clock, 'prod')
    peer.next('/api/x', 'hold')
    const asked = peer.hears('/api/x')
    const asking = terminal.run(['request', 'prod', 'POST', '/api/x'])
    await asked
    clock.advance({ seconds: 1 })
    await terminal.run(['connect', 'prod', other.url, scope, '--force'])

    peer.release('/api/x', unauthorized)
    const { code, err } = await asking

    assert.equal(code, 1)
    assert.match(err, /reconnected in the meantime/)
    assert.doesNotMatch(peer.heard.map(({ headers }) => headers.authorization).join(), /access-2/)
  })

  it('whose answer is lost is repeated at once', async () => {
    await using peer = await startPeer()
    const clock = new SettableClock()
    await using terminal = await connected(peer, clock, 'prod')
    clock.advance({ hours: 1 })
    peer.next(token, 'drop')

    assert.equal((await terminal.run(['request', 'prod', 'POST', '/api/x'])).code, 0)
  })

  it('that something other than Gatehouse answers removes nothing', async () => {
    await using peer = await startPeer()
    const clock = new SettableClock()
    await using terminal = await connected(peer, clock, 'prod')
    clock.advance({ hours: 1 })
    peer.next('/.well-known/oauth-authorization-server', { status: 404, body: 'a login page of the hotel' })

    assert.equal((await terminal.run(['request', 'prod', 'POST', '/api/x'])).code, 1)
    assert.equal((await terminal.run(['request', 'prod', 'POST', '/api/x'])).code, 0)
  })
})

describe('clients at once', () => {
  it('if ten find the token expired, one refreshes and all continue', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer, new SettableClock(), 'prod')
    await expire(terminal)
    const env = { GATEHOUSE_CONFIG_DIR: terminal.folder }

    const ended = await Promise.all(
      Array.from({ length: 10 }, () => runProgram(['request', 'prod', 'POST', '/api/x'], env)),
    )

    assert.deepEqual(
      ended.map(({ code, err }) => [code, err]),
      Array(10).fill([0, '']),
    )
    assert.equal(peer.heardAt(token).filter(({ body }) => body.includes('refresh_token')).length, 1)
    assert.equal((await kept(terminal)).refresh_token, 'refresh-2')
  })

  it('killed in the middle of a refresh leave whole credentials and no lock', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer, new SettableClock(), 'prod')
    await expire(terminal)
    const env = { GATEHOUSE_CONFIG_DIR: terminal.folder }
    peer.next(token, 'hold')
    const asked = peer.hears(token)
    const doomed = startProgram(['request', 'prod', 'POST', '/api/x'], env)
    await asked

    doomed.kill('SIGKILL')
    await once(doomed, 'close')
    const next = await runProgram(['request', 'prod', 'POST', '/api/x'], env)

    assert.equal(next.code, 0, next.err)
    assert.equal((await kept(terminal)).refresh_token, 'refresh-2')
  })

  it('exit cleanly on a real Ctrl-C', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    peer.next(token, { status: 400, body: { error: 'authorization_pending' } })
    const child = startProgram(['connect', 'prod', peer.url, scope], {
      GATEHOUSE_CONFIG_DIR: terminal.folder,
    })
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += chunk
      if (String(chunk).includes('Ctrl-C')) child.kill('SIGINT')
    })

    const [code] = await once(child, 'close')

    assert.equal(code, 130)
    assert.match(said, /cancelled\n$/)
    assert.equal((await terminal.run(['status', 'prod'])).code, 3)
  })
})

const unauthorized = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  body: { code: 'UNAUTHORIZED' },
}

async function connected(peer: PeerServer, clock: SettableClock, ...names: string[]): Promise<Terminal> {
  const terminal = await openTerminal(clock)
  for (const name of names) {
    const { code, err } = await terminal.run(['connect', name, peer.url, scope])
    assert.equal(code, 0, err)
  }
  return terminal
}

/** For real programs, whose clock no test sets. */
async function expire(terminal: Terminal): Promise<void> {
  await writeFile(fileIn(terminal), JSON.stringify({ ...(await kept(terminal)), access_expires_at: 1 }))
}

async function kept(terminal: Terminal): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(fileIn(terminal), 'utf8'))
}

function fileIn(terminal: Terminal): string {
  return join(terminal.folder, 'connections', 'prod.json')
}
