import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { startPeer } from '../../test/processes/peer-server.ts'
import { runProgram } from '../../test/processes/program.ts'
import { assertEnded, it } from '../../test/service/command-line.ts'

const path = '/api/list_notifications'

describe('request over a network that cannot be trusted', () => {
  it('never follows a redirect to another origin', async ({ peer, connected }) => {
    await using other = await startPeer()

    for (const status of [301, 302, 303, 307, 308]) {
      peer.next(path, { status, headers: { location: `${other.url}/steal` }, body: '' })
      const ended = await connected.run(`request prod GET ${path}`)
      assertEnded(ended, 1, /not followed: redirect to/)
    }
    assert.deepEqual(other.heard, [])
  })

  it('follows a read on the same server, and never repeats a write', async ({ peer, connected }) => {
    peer.next('/api/old', ...Array(2).fill({ status: 307, headers: { location: '/api/new' }, body: '' }))

    const read = await connected.run('request prod GET /api/old')
    const write = await connected.run('request prod POST /api/old')

    assert.deepEqual([read.code, write.code, peer.heardAt('/api/new').length], [0, 1, 1])
  })

  it('sends a write once, and says if it may have been done without a response', async ({ peer, connected }) => {
    peer.next(path, 'drop', { status: 502, body: 'bad gateway' })

    const lost = await connected.run(`request prod POST ${path}`)
    const heard = peer.heardAt(path).length
    const refused = await connected.run(`request prod POST ${path}`)

    assert.deepEqual([lost.code, heard, refused.code, peer.heardAt(path).length], [1, 1, 1, 2])
    assert.match(lost.err, /it may have been carried out; check before retrying/)
  })

  it('does not say that a write may have been done if the server was not reached', async ({ terminal }) => {
    const peer = await startPeer()
    await terminal.run(`connect prod ${peer.url} account:profile:read`)
    await peer[Symbol.asyncDispose]()

    const ended = await runProgram(['request', 'prod', 'POST', path], {
      GATEHOUSE_CONFIG_DIR: terminal.folder,
    })

    assertEnded(ended, 1, /no response from .*: ECONNREFUSED; the connection "prod" is kept\n$/)
  })
})
