import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { connected } from '../../test/processes/connected.ts'
import { startPeer } from '../../test/processes/peer-server.ts'

const path = '/api/admin/list_events'
const EVENT = { id: 'one', type: 'user.created' }

describe('events, from a server that is not what it seems', () => {
  for (const next of ['1 $(touch x)', '\u001b[31m', '1;2', '', 'a'.repeat(65)]) {
    it(`takes no cursor that a user should not copy: ${JSON.stringify(next).slice(0, 16)}`, async () => {
      await using peer = await startPeer()
      await using terminal = await connected(peer)
      peer.next(path, { body: { items: [EVENT], next } })

      const { code, out, err } = await terminal.run(['events', 'prod'])

      assert.deepEqual([code, out], [1, ''])
      assert.equal(err, 'gatehouse: the response is not a list of events\n')
    })
  }

  for (const [what, again] of Object.entries({ 'the same': '7', 'an earlier': '6' })) {
    it(`stops at ${what} cursor, instead of printing the same events for ever`, async () => {
      await using peer = await startPeer()
      await using terminal = await connected(peer)
      const items = Array(1_000).fill(EVENT)
      peer.next(path, ...['7', again].map((next) => ({ body: { items, next } })))

      const { code, out, err } = await terminal.run(['events', 'prod'])

      assert.equal(code, 1)
      assert.equal(out.match(/\n/g)?.length, 1_000)
      assert.match(err, /the response goes back to events that were read before/)
    })
  }

  it('pauses before it asks again, if a server that is followed returns nothing at once', async () => {
    await using peer = await startPeer()
    await using terminal = await connected(peer)
    const nothing = { body: { items: [], next: 'latest' } }
    peer.next(path, ...Array(5).fill(nothing), { status: 403, body: { code: 'FORBIDDEN' } })
    const before = terminal.sleptMilliseconds.length

    const { code } = await terminal.run(['events', 'prod', '--follow'])

    assert.equal(code, 1)
    assert.deepEqual(terminal.sleptMilliseconds.slice(before), Array(5).fill(250))
  })
})
