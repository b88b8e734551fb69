import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../test/service/it.ts'
import type { people } from '../../../test/service/people.ts'
import type { Service } from '../../../test/service/service.ts'

async function save(service: Service, administrator: Awaited<ReturnType<typeof people>>['administrator']) {
  const { body: config } = await administrator.post('/api/admin/get_credits_config')
  await administrator.post('/api/admin/update_credits_config', {
    expected_version: config.version,
    signup_reward_amount: config.version,
  })
  await service.runJob('events')
}

describe('list_events', () => {
  it('continues from a cursor, oldest first, without gaps or repetitions', async ({
    service,
    administrator,
  }) => {
    const { body: start } = await administrator.post('/api/admin/list_events', { after: 'latest' })
    for (let i = 0; i < 5; i++) await save(service, administrator)
    const list = (after: string, limit = 2) =>
      administrator.post('/api/admin/list_events', { after, limit, types: ['settings.saved'] })

    const { body: first } = await list(start.next)
    const { body: second } = await list(first.next)
    const { body: rest } = await list(second.next, 10)
    const { body: none } = await list(rest.next)

    assert.deepEqual(start.items, [])
    const versions = [first, second, rest].map(({ items }) =>
      items.map(({ data }: { data: { version: number } }) => data.version),
    )
    assert.deepEqual(versions, [[2, 3], [4, 5], [6]])
    assert.deepEqual([none.items, none.next], [[], rest.next])
  })

  it('waits for new events, and no longer than requested', async ({ service, administrator }) => {
    await service.runJob('events')
    const { body: start } = await administrator.post('/api/admin/list_events', { after: 'latest' })

    const waiting = administrator.post('/api/admin/list_events', { after: start.next, wait_seconds: 20 })
    await save(service, administrator)
    const { body } = await waiting
    const { body: late } = await administrator.post('/api/admin/list_events', {
      after: body.next,
      wait_seconds: 1,
    })

    assert.deepEqual(
      body.items.map(({ type }: { type: string }) => type),
      ['settings.saved'],
    )
    assert.deepEqual(late, { items: [], next: body.next })
  })

  it('refuses an invalid cursor, an unknown type and an endless wait', async ({ administrator }) => {
    const refused = await Promise.all(
      [{ after: 'x' }, { types: ['user.sneezed'] }, { wait_seconds: 26 }, { limit: 0 }].map((input) =>
        administrator.post('/api/admin/list_events', input),
      ),
    )

    for (const { status, body } of refused) assert.deepEqual([status, body.code], [400, 'INVALID_REQUEST'])
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
    const foreign = await list(String(Number(newest.next) + 1))
    const farthest = await list('9999999999999999')

    assert.deepEqual([own.status, own.body], [200, { items: [], next: newest.next }])
    for (const { status, body } of [foreign, farthest])
      assert.deepEqual([status, body.code, body.issues[0].path], [400, 'INVALID_REQUEST', 'after'])
  })
})
