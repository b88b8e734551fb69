import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { startPeer } from '../../test/processes/peer-server.ts'
import { openTerminal } from '../../test/processes/terminal/terminal.ts'

const scope = 'account:profile:read'
const TOKEN = '/api/oauth/token'
const DEVICE = '/api/oauth/device_authorization'

/** As a server writes it, with numbers that `JSON.stringify` would not write. */
function tokens(expiresIn: string) {
  return {
    body: `{"access_token":"a","refresh_token":"r","token_type":"Bearer","expires_in":${expiresIn},"scope":"${scope}"}`,
  }
}

describe('connect, to a server that is not what it seems', () => {
  for (const expiresIn of ['8.65e12', '1e300', '1.5', '0']) {
    it(`keeps a connection whose token is said to be valid for ${expiresIn} s, and shows it`, async () => {
      await using peer = await startPeer()
      await using terminal = await openTerminal()
      await terminal.run(['connect', 'good', peer.url, scope])
      peer.next(TOKEN, tokens(expiresIn))

      await terminal.run(['connect', 'odd', peer.url, scope])
      const { code, out } = await terminal.run(['status'])

      assert.equal(code, 0)
      assert.match(out, /^good\n.*\n\nodd\n.* {2}Expires {2}20\d\d-/s)
    })
  }

  for (const interval of ['1e12', '1e300', '0.0001', '3e6']) {
    it(`polls at a pace of its own if it is told to wait ${interval} s`, async () => {
      await using peer = await startPeer()
      await using terminal = await openTerminal()
      const device = deviceOf(peer.url, { expires_in: 600 })
      peer.next(DEVICE, { body: device.replace('}', `,"interval":${interval}}`) })
      peer.next(TOKEN, ...Array(3).fill({ status: 400, body: { error: 'authorization_pending' } }))

      await terminal.run(['connect', 'prod', peer.url, scope])

      assert.ok(terminal.sleptMilliseconds.length > 0)
      for (const slept of terminal.sleptMilliseconds) assert.ok(slept >= 1_000 && slept <= 60_000, `${slept}`)
    })
  }

  it('waits an hour at most for an approval', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    peer.next(DEVICE, { body: deviceOf(peer.url, { expires_in: 1e300, interval: 60 }) })
    peer.next(TOKEN, ...Array(100).fill({ status: 400, body: { error: 'authorization_pending' } }))

    const { code, err } = await terminal.run(['connect', 'prod', peer.url, scope])

    assert.equal(code, 1)
    assert.match(err, /Waiting for your approval, 60 minutes at most/)
    assert.equal(peer.heardAt(TOKEN).length, 60)
  })

  for (const token of ['a\nb', 'a b', '\u0000', 'é', 'a'.repeat(10_000)]) {
    it(`keeps no token that cannot be sent: ${JSON.stringify(token).slice(0, 12)}`, async () => {
      await using peer = await startPeer()
      await using terminal = await openTerminal()
      peer.next(TOKEN, { body: { access_token: token, token_type: 'Bearer', expires_in: 900 } })

      const { code, err } = await terminal.run(['connect', 'prod', peer.url, scope])

      assert.equal(code, 1)
      assert.match(err, /gatehouse: http\S+ issued a token that no request can carry\n$/)
      assert.equal((await terminal.run(['status', 'prod'])).code, 3)
    })
  }
})

function deviceOf(url: string, times: object): string {
  return JSON.stringify({
    device_code: 'the-device-code',
    user_code: 'BCDF-GHJK',
    verification_uri: `${url}/oauth/authorize`,
    ...times,
  })
}
