import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { describe } from 'vitest'
import { startPeer } from '../../test/processes/peer-server.ts'
import { assertEnded, it, SCOPE } from '../../test/service/command-line.ts'

const TOKEN = '/api/oauth/token'
const DEVICE = '/api/oauth/device_authorization'
const METADATA = '/.well-known/oauth-authorization-server'
const OWNER = '/api/auth/get-session'
const PENDING = { status: 400, body: { error: 'authorization_pending' } }
/** White space, so that it could still become JSON. */
const CHUNK = ' '.repeat(65_536)

describe('connect, to a server that is not what it seems', () => {
  it.for(['8.65e12', '1e300', '1.5', '0'])(
    'keeps a connection whose token is said to be valid for %s s, and shows it',
    async (expiresIn, { peer, terminal }) => {
      await terminal.run(`connect good ${peer.url} ${SCOPE}`)
      // Numbers that `JSON.stringify` would not write.
      const tokens = `"access_token":"a","refresh_token":"r","token_type":"Bearer","scope":"${SCOPE}"`
      peer.next(TOKEN, { body: `{${tokens},"expires_in":${expiresIn}}` })
      await terminal.run(`connect odd ${peer.url} ${SCOPE}`)

      const { code, out } = await terminal.run('status')

      assert.equal(code, 0)
      assert.match(out, /^good\n.*\n\nodd\n.* {2}Expires {2}20\d\d-/s)
    },
  )

  it.for(['1e12', '1e300', '0.0001', '3e6'])(
    'polls at a pace of its own if it is told to wait %s s',
    async (interval, { peer, terminal }) => {
      const device = deviceOf(peer.url, { expires_in: 600 })
      peer.next(DEVICE, { body: device.replace('}', `,"interval":${interval}}`) })
      peer.next(TOKEN, ...Array(3).fill(PENDING))

      await terminal.run(`connect prod ${peer.url} ${SCOPE}`)

      assert.ok(terminal.sleptMilliseconds.length > 0)
      for (const slept of terminal.sleptMilliseconds) assert.ok(slept >= 1_000 && slept <= 60_000, `${slept}`)
    },
  )

  it('waits an hour at most for an approval', async ({ peer, terminal }) => {
    peer.next(DEVICE, { body: deviceOf(peer.url, { expires_in: 1e300, interval: 60 }) })
    peer.next(TOKEN, ...Array(100).fill(PENDING))

    const { code, err } = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)

    assert.match(err, /Waiting for your approval, 60 minutes at most/)
    assert.deepEqual([code, peer.heardAt(TOKEN).length], [1, 60])
  })

  it('keeps no token that cannot be sent', async ({ peer, terminal }) => {
    for (const token of ['a\nb', 'a b', '\u0000', 'é', 'a'.repeat(10_000)]) {
      peer.next(TOKEN, { body: { access_token: token, token_type: 'Bearer', expires_in: 900 } })

      const { code, err } = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)

      assert.equal(code, 1, token)
      assert.match(err, /gatehouse: http\S+ issued a token that cannot be sent in an HTTP header\n$/)
      assert.equal((await terminal.run('status prod')).code, 3)
    }
  })

  it('is not misled by a status that HTTP does not have', async ({ peer, terminal }) => {
    peer.next(METADATA, { status: 999, body: {} })

    const ended = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)

    assertEnded(ended, 1, /^gatehouse: \S+ returned 999; try again later\n$/)
  })
})

describe('a response that does not end', () => {
  it.for([METADATA, DEVICE, TOKEN])('at %s is not read on, and connect says so', async (path, { peer, terminal }) => {
    const endless = endlessAnswer()
    peer.next(path, endless.give)

    const { code, err } = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)

    assert.equal(code, 1)
    assert.ok(err.endsWith(`gatehouse: ${peer.url} sent more than 1 MiB where that makes no sense\n`), err)
    assert.ok((await endless.sentBytes) < 64 * 1024 * 1024)
  })

  it('leaves a connection without its user, and its check without a result', async ({ peer, terminal }) => {
    await terminal.run(`connect good ${peer.url} ${SCOPE}`)
    peer.next(OWNER, endlessAnswer().give, endlessAnswer().give, {})

    const connected = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)
    const checked = await terminal.run('status prod --check')

    assert.deepEqual([connected.code, checked.code], [0, 1])
    assert.match(connected.err, /as unknown\n/)
    assert.match(checked.err, /sent more than 1 MiB where that makes no sense\n$/)
  })

  it('but breaks off is reported, and hides no other connection', async ({ peer, terminal }) => {
    await terminal.run(`connect cut ${peer.url} ${SCOPE}`)
    await using other = await startPeer()
    await terminal.run(`connect good ${other.url} ${SCOPE}`)
    peer.next(OWNER, breakOff)

    const { code, out, err } = await terminal.run('status --check')

    assert.equal(code, 1)
    assert.match(out, /^cut\n.* {2}Checked {2}no response from .*\n\ngood\n.* {2}Checked {2}the server accepts/s)
    assert.match(err, /^gatehouse: no response from \S+: \w+\n$/)
  })
})

/** `sentBytes` resolves when the client has hung up. */
function endlessAnswer() {
  const { promise: sentBytes, resolve } = Promise.withResolvers<number>()
  const give = (_: IncomingMessage, response: ServerResponse): void => {
    let bytes = 0
    function* endless() {
      for (;;) {
        bytes += CHUNK.length
        yield CHUNK
      }
    }
    response.once('close', () => resolve(bytes))
    response.writeHead(200, { 'content-type': 'application/json' })
    pipeline(Readable.from(endless()), response, () => undefined)
  }
  return { sentBytes, give }
}

function breakOff(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{', () => response.destroy())
}

function deviceOf(url: string, times: object): string {
  const codes = { device_code: 'the-device-code', user_code: 'BCDF-GHJK' }
  return JSON.stringify({ ...codes, verification_uri: `${url}/oauth/authorize`, ...times })
}
