import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../test/service/command-line.ts'

const path = '/api/admin/list_events'
const EVENT = { id: 'one', type: 'user.created' }

describe('events, from a server that is not what it seems', () => {
  it('takes no cursor that a user should not copy', async ({ peer, connected }) => {
    for (const next of ['1 $(touch x)', '\u001b[31m', '1;2', '', 'a'.repeat(65)]) {
      peer.next(path, { body: { items: [EVENT], next } })
      const ended = await connected.run('events prod')
      assert.deepEqual(ended, { code: 1, out: '', err: 'gatehouse: the response is not a list of events\n' })
    }
  })

  it('stops at the same or an earlier cursor, and repeats no events', async ({ peer, connected }) => {
    const items = Array(1_000).fill(EVENT)
    for (const again of ['7', '6']) {
      peer.next(path, ...['7', again].map((next) => ({ body: { items, next } })))
      const { code, out, err } = await connected.run('events prod')
      assert.deepEqual([code, out.match(/\n/g)?.length], [1, 1_000])
      assert.match(err, /the response goes back to events that were read before/)
    }
  })

  it('pauses before it asks again a server that returns nothing at once', async ({ peer, connected }) => {
    const nothing = { body: { items: [], next: 'latest' } }
    peer.next(path, ...Array(5).fill(nothing), { status: 403, body: { code: 'FORBIDDEN' } })
    const before = connected.sleptMilliseconds.length

    const { code } = await connected.run('events prod --follow')

    assert.deepEqual([code, connected.sleptMilliseconds.slice(before)], [1, Array(5).fill(250)])
  })
})
