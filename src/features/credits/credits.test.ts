import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe } from 'vitest'
import { changeSettings } from '../../../test/service/change-settings.ts'
import { it } from '../../../test/service/it.ts'
import { people, stranger } from '../../../test/service/people.ts'
import type { Service } from '../../../test/service/service.ts'
import { findShardOf } from '../shards/shards.ts'
import { grantCredits } from './credits.ts'

async function shardOf(service: Service, userId: string) {
  const shard = await findShardOf(service.platform, userId)
  assert.ok(shard)
  return shard
}

describe('credits', () => {
  it('begin at 0, or with the signup reward if the settings say so', async ({
    service,
    administrator,
    ann,
  }) => {
    await administrator.saveSettings('credits', { signup_reward_enabled: true, signup_reward_amount: 250 })

    const carl = stranger(service)
    await carl.signUp()

    const annSummary = await ann.post('/api/get_credit_summary')
    const carlSummary = await carl.post('/api/get_credit_summary')
    const { body } = await carl.post('/api/list_credit_entries')

    assert.deepEqual([annSummary.body, carlSummary.body], [{ balance: 0 }, { balance: 250 }])
    assert.deepEqual(body, {
      items: [
        {
          id: body.items[0].id,
          amount: 250,
          balance_after: 250,
          source_type: 'signup',
          source_id: carl.id,
          created_at: service.clock.now(),
        },
      ],
      total: 1,
    })
  })

  it('a balance that is missing after a stop at sign-up is created at the next access, with the reward of that day', async ({
    service,
  }) => {
    await changeSettings(service, 'credits', { signup_reward_enabled: true, signup_reward_amount: 5 })
    const { ann } = await people(service)
    await changeSettings(service, 'credits', { signup_reward_enabled: true, signup_reward_amount: 99 })
    const shard = await shardOf(service, ann.id)
    await shard.batch([shard.deleteFrom('credit_balance'), shard.deleteFrom('credit_entries')])

    const [entries, ...answers] = await Promise.all([
      ann.post('/api/list_credit_entries'),
      ...[1, 2, 3].map(() => ann.post('/api/get_credit_summary')),
    ])

    assert.equal(entries.body.total, 1)
    assert.deepEqual(
      answers.map(({ body }) => body),
      [{ balance: 5 }, { balance: 5 }, { balance: 5 }],
    )
    assert.equal((await ann.post('/api/list_credit_entries')).body.total, 1)
  })

  it('entries page newest first, with a total that does not depend on the page', async ({ service, ann }) => {
    const shard = await shardOf(service, ann.id)
    for (const i of [1, 2, 3]) {
      await grantCredits(shard, ann.id, i, { type: 'gift', id: `g${i}` }, service.clock.now() + i)
    }

    const second = await ann.post('/api/list_credit_entries', { page: 2, page_size: 2 })
    const past = await ann.post('/api/list_credit_entries', { page: 5 })

    assert.deepEqual(
      second.body.items.map(({ source_id, balance_after }: { source_id: string; balance_after: number }) => [
        source_id,
        balance_after,
      ]),
      [['g1', 1]],
    )
    assert.deepEqual([second.body.total, past.body], [3, { items: [], total: 3 }])
  })

  it('the balance never drifts from the ledger, whatever is granted in parallel', async ({
    service,
    ann,
    ben,
  }) => {
    const owners = [ann.id, ben.id]
    const shard = await shardOf(service, ann.id)
    const grant = fc.record({
      owner: fc.constantFrom(...owners),
      amount: fc.integer({ min: -50, max: 50 }),
      type: fc.constantFrom('gift', 'refund'),
      id: fc.integer({ min: 0, max: 12 }).map(String),
    })
    let round = 0

    await fc.assert(
      fc.asyncProperty(fc.array(grant, { maxLength: 30 }), async (grants) => {
        round++
        await Promise.all(
          grants.map(({ owner, amount, type, id }) =>
            grantCredits(shard, owner, amount, { type, id: `${round}-${id}` }, service.clock.now()),
          ),
        )

        for (const owner of owners) {
          const balance = await shard
            .selectFrom('credit_balance')
            .select('balance')
            .where('user_id', '=', owner)
            .executeTakeFirst()
          const entries = await shard
            .selectFrom('credit_entries')
            .select(['amount', 'balance_after'])
            .where('user_id', '=', owner)
            .execute()
          const sum = entries.reduce((total, { amount }) => total + amount, 0)
          assert.equal(balance?.balance ?? 0, sum)
        }
        const sources = await shard
          .selectFrom('credit_entries')
          .select(['source_id', 'source_type'])
          .where('source_id', 'like', `${round}-%`)
          .execute()
        const distinct = new Set(grants.map(({ type, id }) => `${type} ${id}`))
        assert.equal(sources.length, distinct.size)
      }),
      { numRuns: 15 },
    )
  })
})
