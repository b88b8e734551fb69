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
    assert.deepEqual(late, { items: [], next: body.next })
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

    assert.deepEqual([own.status, own.body], [200, { items: [], next: newest.next }])
    for (const ahead of [String(Number(newest.next) + 1), '9999999999999999'])
      assertRefused(await list(ahead), 'INVALID_REQUEST', 'after')
  })
})
