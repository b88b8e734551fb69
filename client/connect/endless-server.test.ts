import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { describe, it } from 'vitest'
import { startPeer } from '../../test/processes/peer-server.ts'
import { openTerminal } from '../../test/processes/terminal/terminal.ts'

const scope = 'account:profile:read'
const METADATA = '/.well-known/oauth-authorization-server'
/** White space, so that it could still become JSON. */
const CHUNK = ' '.repeat(65_536)
const OWNER = '/api/auth/get-session'

describe('a response that does not end', () => {
  for (const path of [METADATA, '/api/oauth/device_authorization', '/api/oauth/token']) {
    it(`at ${path} is not read on, and connect says so`, async () => {
      await using peer = await startPeer()
      await using terminal = await openTerminal()
      const endless = endlessAnswer()
      peer.next(path, endless.give)

      const { code, err } = await terminal.run(['connect', 'prod', peer.url, scope])

      assert.equal(code, 1)
      assert.match(
        err,
        new RegExp(`gatehouse: ${peer.url} sent more than 1 MiB where that makes no sense\n$`),
      )
      assert.ok((await endless.sentBytes) < 64 * 1024 * 1024)
    })
  }

  it('leaves a connection without its user, and its check without a result', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'good', peer.url, scope])
    peer.next(OWNER, endlessAnswer().give, endlessAnswer().give, {})

    const connected = await terminal.run(['connect', 'prod', peer.url, scope])
    const checked = await terminal.run(['status', 'prod', '--check'])

    assert.equal(connected.code, 0)
    assert.match(connected.err, /as unknown\n/)
    assert.equal(checked.code, 1)
    assert.match(checked.err, /sent more than 1 MiB where that makes no sense\n$/)
  })
})

describe('a response that breaks off', () => {
  it('where the user of a token is named is reported, and hides no other connection', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    await terminal.run(['connect', 'cut', peer.url, scope])
    await using other = await startPeer()
    await terminal.run(['connect', 'good', other.url, scope])
    peer.next(OWNER, breakOff)

    const { code, out, err } = await terminal.run(['status', '--check'])

    assert.equal(code, 1)
    assert.match(
      out,
      /^cut\n.* {2}Checked {2}no response from .*\n\ngood\n.* {2}Checked {2}the server accepts/s,
    )
    assert.match(err, /^gatehouse: no response from \S+: \w+\n$/)
  })
})

it('a status that HTTP does not have is not taken for a response of Gatehouse', async () => {
  await using peer = await startPeer()
  await using terminal = await openTerminal()
  peer.next(METADATA, { status: 999, body: {} })

  const { code, err } = await terminal.run(['connect', 'prod', peer.url, scope])

  assert.equal(code, 1)
  assert.match(err, /^gatehouse: \S+ returned 999; try again later\n$/)
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
