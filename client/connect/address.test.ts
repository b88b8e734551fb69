import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { startPeer } from '../../test/processes/peer-server.ts'
import { openTerminal } from '../../test/processes/terminal/terminal.ts'

const scope = 'account:profile:read'

describe('the server’s address', () => {
  it('only talks to https servers, or to this machine', async () => {
    await using terminal = await openTerminal()

    for (const server of [
      'http://example.com',
      'ftp://example.com',
      'http://127.0.0.1.example.com',
      'javascript:alert(1)',
    ]) {
      const { code } = await terminal.run(['connect', 'prod', server, scope])
      assert.equal(code, 2, server)
    }
    for (const server of [
      'https://ann:pw@example.com',
      'https://example.com/path',
      'https://example.com/?q=1',
    ]) {
      const { code, err } = await terminal.run(['connect', 'prod', server, scope])
      assert.equal(code, 2, server)
      assert.match(err, /give (its origin|only https:\/\/example.com)/)
    }
  })

  it('assumes http for an address of this machine without a scheme, and https for any other', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    const { host } = new URL(peer.url)

    const here = await terminal.run(['connect', 'here', host, scope])
    const named = await terminal.run(['connect', 'named', 'localhost:9', scope])
    const six = await terminal.run(['connect', 'six', '[::1]:9', scope])
    const elsewhere = await terminal.run(['connect', 'elsewhere', 'gatehouse.invalid:9', scope])

    assert.equal(here.code, 0, here.err)
    assert.match(named.err, /http:\/\/localhost:9\b/)
    assert.match(six.err, /http:\/\/\[::1\]:9\b/)
    assert.match(elsewhere.err, /https:\/\/gatehouse\.invalid:9\b/)
  })

  it('opens no page and sends no token outside the server', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    const elsewhere = { issuer: peer.url, token_endpoint: 'https://evil.example/token' }
    const device = {
      device_code: 'd',
      user_code: 'u',
      expires_in: 600,
      verification_uri: 'https://evil.example/',
    }
    peer.next('/.well-known/oauth-authorization-server', { body: elsewhere })
    peer.next('/api/oauth/device_authorization', { body: device })

    const endpoint = await terminal.run(['connect', 'prod', peer.url, scope])
    const page = await terminal.run(['connect', 'prod', peer.url, scope])

    assert.deepEqual([endpoint.code, page.code], [1, 1])
    assert.match(page.err, /expected a page of its own/)
  })

  it('refuses a server that calls itself by another address, and names that address', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    const body = { issuer: 'https://id.example.com' }
    peer.next('/.well-known/oauth-authorization-server', { body })

    const { code, err } = await terminal.run(['connect', 'prod', peer.url, scope])

    assert.equal(code, 2)
    assert.match(err, /calls itself https:\/\/id\.example\.com; connect to that address/)
  })

  it('knows this machine by each of its names', async () => {
    await using peer = await startPeer()
    await using terminal = await openTerminal()
    const server = peer.url.replace('127.0.0.1', 'localhost')

    const { code, err } = await terminal.run(['connect', 'home', server, scope])

    assert.equal(code, 0, err)
  })
})
