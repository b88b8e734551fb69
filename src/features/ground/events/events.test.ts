import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, eachOf } from '../../../../test/service/answers.ts'
import { it } from '../../../../test/service/it.ts'
import type { Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'

async function save(service: Service, administrator: Person, signup_reward_amount = 1) {
  await administrator.saveSettings('credits', { signup_reward_amount })
  await service.runJob('events')
}

describe('list_events', () => {
  it('continues from a cursor, oldest first, without a gap or repeat', async ({ service, administrator }) => {
    const { body: start } = await administrator.post('/api/admin/list_events', { after: 'latest' })
    for (let amount = 1; amount <= 5; amount++) await save(service, administrator, amount)
    const list = (after: string, limit = 2) =>
      administrator.post('/api/admin/list_events', { after, limit, types: ['settings.saved'] })

    const { body: first } = await list(start.next)
    const { body: second } = await list(first.next)
    const { body: rest } = await list(second.next, 10)
    const { body: none } = await list(rest.next)

    assert.deepEqual(start.items, [])
    const versions = [first, second, rest].map((body) => eachOf({ body }, 'data').map(({ version }) => version))
    assert.deepEqual(versions, [[2, 3], [4, 5], [6]])
    assert.deepEqual([none.items, none.next], [[], rest.next])
  })

  it('waits for new events, and no longer than requested', async ({ service, administrator }) => {
    await service.runJob('events')
    const { body: start } = await administrator.post('/api/admin/list_events', { after: 'latest' })

    const wait = (after: string, wait_seconds: number) =>
      administrator.post('/api/admin/list_events', { after, wait_seconds })

    const waiting = wait(start.next, 20)
    await save(service, administrator)
    const { body } = await waiting
    const { body: late } = await wait(body.next, 1)

    assert.deepEqual(eachOf({ body }, 'type'), ['settings.saved'])
    assert.deepEqual([late.items, late.next], [[], body.next])
  })

  it('waits no longer for a reader that has left', async ({ service, administrator, mock }) => {
    const { body: start } = await administrator.post('/api/admin/list_events', { after: 'latest' })
    const { signals } = service.platform
    const listen = signals.listen.bind(signals)
    const left = new AbortController()
    mock.method(signals, 'listen', (topic: string) => {
      const { next, stop } = listen(topic)
      return { next: (milliseconds: number) => Promise.all([next(milliseconds), left.abort()]), stop }
    })
    const begin = performance.now()

    await administrator.send('/api/admin/list_events', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ after: start.next, wait_seconds: 25 }),
      signal: left.signal,
    })

    assert.ok(performance.now() - begin < 20_000)
  })

  it('says how current it is: up to the oldest event that has no place yet', async ({ service, administrator }) => {
    await service.runJob('events')
    const { body: start } = await administrator.post('/api/admin/list_events', { after: 'latest' })
    await administrator.saveSettings('credits', { signup_reward_amount: 5 })
    const savedAt = service.clock.now()
    service.clock.advance({ seconds: 3 })
    const list = (limit: number) => administrator.post('/api/admin/list_events', { after: start.next, limit })

    const { body: before } = await list(10)
    await service.runJob('events')
    await save(service, administrator)
    const { body: cut } = await list(1)
    const { body: after } = await list(10)

    assert.deepEqual([before.items, before.current_at, before.now], [[], savedAt - 1, savedAt + 3_000])
    assert.deepEqual([cut.items.length, cut.current_at], [1, undefined])
    assert.deepEqual([after.items.length, after.current_at], [2, savedAt + 3_000])
  })

  it('says that events are missing after a cursor that is too old, or from before a backup was restored', async ({
    service,
    administrator,
  }) => {
    const gapAfter = async (after?: string) => {
      const { body } = await administrator.post('/api/admin/list_events', { after, limit: 1 })
      return body.gap === true
    }
    const newest = async () => {
      const { body } = await administrator.post('/api/admin/list_events', { after: 'latest' })
      return body.next
    }
    await save(service, administrator, 1)
    const old = await newest()
    service.clock.advance({ days: 1 })
    await administrator.signIn()
    await save(service, administrator, 2)
    const kept = await newest()
    const early = [await gapAfter(), await gapAfter('0'), await gapAfter(old), await gapAfter(kept)]
    const { meta } = service.platform
    await meta.deleteFrom('event').where('position', '=', Number(kept)).execute()
    service.clock.advance({ days: 1 })
    await administrator.signIn()
    await save(service, administrator, 3)
    const restored = await gapAfter(kept)
    const last = await newest()

    service.clock.advance({ days: 30 })
    await service.runJob('event-sweep')
    await administrator.signIn()
    const late = [await gapAfter(), await gapAfter('0'), await gapAfter(old), await gapAfter(last)]

    assert.deepEqual(early, [false, false, false, false])
    assert.equal(restored, true)
    assert.deepEqual(late, [false, true, true, false])
  })

  it('refuses an invalid cursor, an unknown type and an endless wait', async ({ administrator }) => {
    for (const input of [{ after: 'x' }, { types: ['user.sneezed'] }, { wait_seconds: 26 }, { limit: 0 }])
      assertRefused(await administrator.post('/api/admin/list_events', input), 'INVALID_REQUEST')
  })

  it('refuses a cursor that is ahead of all events, but not its own after the clock was set back', async ({
    service,
    administrator,
  }) => {
    const list = (after: string) => administrator.post('/api/admin/list_events', { after })
    service.clock.advance({ hours: 3 * 24 })
    await administrator.signIn()
    await save(service, administrator)
    const { body: newest } = await list('latest')
    service.clock.advance({ hours: -3 * 24 })

    const own = await list(newest.next)

    assert.deepEqual([own.status, own.body.items, own.body.next, own.body.gap], [200, [], newest.next, undefined])
    for (const ahead of [String(Number(newest.next) + 1), '9999999999999999'])
      assertRefused(await list(ahead), 'INVALID_REQUEST', 'after')
  })
})
