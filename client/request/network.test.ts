import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { connected, scope } from '../../test/processes/connected.ts'
import { startPeer } from '../../test/processes/peer-server.ts'
import { runProgram } from '../../test/processes/program.ts'
import { openTerminal } from '../../test/processes/terminal/terminal.ts'

const path = '/api/list_notifications'

describe('request over a network that cannot be trusted', () => {
  it('never follows a redirect to another origin', async () => {
    await using peer = await startPeer()
    await using other = await startPeer()
    await using terminal = await connected(peer)
    for (const status of [301, 302, 303, 307, 308]) {
      peer.next(path, { status, headers: { location: `${other.url}/steal` }, body: '' })

      const { code, err } = await terminal.run(['request', 'prod', 'GET', path])

      assert.equal(code, 1)
      assert.match(err, /not followed: redirect to/)
    }
    assert.deepEqual(other.heard, [])
  })

  it('follows a read on the same server, and never repeats a write', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next('/api/old', ...Array(2).fill({ status: 307, headers: { location: '/api/new' }, body: '' }))

    const read = await terminal.run(['request', 'prod', 'GET', '/api/old'])
    const write = await terminal.run(['request', 'prod', 'POST', '/api/old'])

    assert.deepEqual([read.code, write.code], [0, 1])
    assert.equal(peer.heardAt('/api/new').length, 1)
  })

  it('sends a write once, and says that it may have been done if the response is lost', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next(path, 'drop')

    const { code, err } = await terminal.run(['request', 'prod', 'POST', path])

    assert.equal(code, 1)
    assert.match(err, /it may have been carried out; check before retrying/)
    assert.equal(peer.heardAt(path).length, 1)
  })

  it('does not say so if the server was not reached', async () => {
    await using terminal = await openTerminal()
    const peer = await startPeer()
    await terminal.run(['connect', 'prod', peer.url, scope])
    await peer[Symbol.asyncDispose]()

    const env = { GATEHOUSE_CONFIG_DIR: terminal.folder }
    const { code, err } = await runProgram(['request', 'prod', 'POST', path], env)

    assert.equal(code, 1)
    assert.match(err, /no response from .*: ECONNREFUSED; the connection "prod" is kept\n$/)
  })

  it('does not repeat a write after a 5xx either', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    peer.next(path, { status: 502, body: 'bad gateway' })

    assert.equal((await terminal.run(['request', 'prod', 'POST', path])).code, 1)
    assert.equal(peer.heardAt(path).length, 1)
  })
})
