import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { eventRow } from '../../../../test/service/event-rows.ts'
import { submitted } from '../../../../test/service/feedback.ts'
import { it } from '../../../../test/service/it.ts'
import type { Service } from '../../../../test/service/service.ts'
import { moveUser } from '../../tenancy/moves/moving.ts'
import { eventsAfter } from './listing.ts'
import { Relay } from './relay/relay.ts'
import { insertEvents } from './statements.ts'

const SHARDS = ['oc-1', 'apac-1'] as const
const PROCESSES = 3

/** Continues from its cursor, and keeps what it has read. */
function readerOf({ platform }: Service) {
  const read: string[] = []
  let after: string | undefined
  return {
    read,
    async readOn() {
      for (;;) {
        const { items, next } = await eventsAfter(platform, { after, limit: 7 })
        read.push(...items.map(({ id }) => id))
        if (items.length === 0) return
        after = next
      }
    },
  }
}

async function allIds({ platform }: Service): Promise<readonly string[]> {
  const events = platform.meta.primary.selectFrom('event').select('id').where('type', 'is not', null)
  return (await events.orderBy('id').execute()).map(({ id }) => id)
}

describe('the order of events', () => {
  it('leaves out a reply to feedback, which is for the audit log alone, even if it has a place', async ({
    service,
    administrator,
    ann,
  }) => {
    const answered = { id: await submitted(ann), user_id: ann.id, text: 'Thanks' }
    await administrator.post('/api/admin/reply_to_feedback', answered)
    await service.runJob('events')
    const { meta } = service.platform
    const entry = meta.primary.selectFrom('event').selectAll().where('action', '=', 'feedback.reply')
    const { id, position } = await entry.executeTakeFirstOrThrow()
    // A program of 0.3.0 gave it a place.
    await meta.updateTable('event').set({ position: 1 }).where('id', '=', id).execute()
    const listed = await administrator.post('/api/admin/list_events')

    assert.equal(position, null)
    assert.equal(listed.status, 200)
    assert.ok(listed.body.items.length > 0)
  })

  it('has each event of a user once and in order while the user is moved about', async ({ service, ann }) => {
    const reader = readerOf(service)
    const written: string[] = []

    for (let i = 0; i < 12; i++) {
      service.clock.advance({ milliseconds: 1 })
      written.push(await submitted(ann))
      // Some are copied before the move, some from the shard that the user has left.
      if (i % 3 === 0) await service.runJob('events')
      await moveUser(service.platform, ann.id, SHARDS[i % 2] ?? '')
      await reader.readOn()
    }
    await service.runJob('events')
    await reader.readOn()

    const { items } = await eventsAfter(service.platform, { types: ['feedback.created'], limit: 100 })
    assert.deepEqual(
      items.map(({ data }) => data.id),
      written,
    )
    assert.deepEqual(reader.read.toSorted(), await allIds(service))
  })

  it('has no gap that is filled later, even with several relays at once', async ({ service, administrator, ann }) => {
    const reader = readerOf(service)
    const processes = Array.from({ length: PROCESSES }, () => new Relay(service.platform))
    const relays = () => Promise.all(processes.map((relay) => relay.turn()))

    for (let i = 0; i < 20; i++) {
      await Promise.all([
        administrator.post('/api/admin/create_notification', { title: `${i}`, content: 'C' }),
        submitted(ann),
        relays(),
        reader.readOn(),
      ])
    }
    await service.runJob('events')
    await reader.readOn()

    assert.deepEqual(reader.read.toSorted(), await allIds(service))
  })

  it('continues after the clock was in the year 9999, or earlier than for the first events', async ({ service }) => {
    const { meta, now } = service.platform
    const reader = readerOf(service)
    const start = now()

    for (const time of [start, Date.UTC(9999, 11, 30), start, 0]) {
      service.clock.advance({ milliseconds: time - now() })
      await meta.batch([insertEvents(meta, eventRow({ type: 'user.suspended', user_id: 'ann', data: {} }, now()))])
      await service.runJob('events')
      await reader.readOn()
    }

    assert.equal(reader.read.length, new Set(reader.read).size)
    assert.deepEqual(reader.read.toSorted(), await allIds(service))
  })

  it('is not moved back by a relay that paused while another went on', async ({ service, administrator }) => {
    const reader = readerOf(service)
    const publish = (title: string) => administrator.post('/api/admin/create_notification', { title, content: 'C' })
    await service.runJob('events')
    await publish('one')

    const late = await new Relay(service.platform).turn(async (step) => {
      if (step !== 'read') return
      await publish('two')
      await service.runJob('events')
      await reader.readOn()
    })
    await publish('three')
    await service.runJob('events')
    await reader.readOn()

    assert.equal(late, 'more')
    assert.deepEqual(reader.read.toSorted(), await allIds(service))
  })
})
