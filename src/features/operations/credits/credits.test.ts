import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe } from 'vitest'
import { eachOf } from '../../../../test/service/answers.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { stranger } from '../../../../test/service/people.ts'
import { findShardOf } from '../../tenancy/shards/shards.ts'
import { grantCredits } from './credits.ts'

const it = withService.extend(
  'shard',
  async ({ service, ann }) => (await findShardOf(service.platform, ann.id)) ?? assert.fail('Ann has no shard'),
)

describe('credits', () => {
  it('begin at 0, or with the signup reward if there is one', async ({ service, administrator, ann }) => {
    await administrator.saveSettings('credits', { signup_reward_enabled: true, signup_reward_amount: 250 })

    const carl = stranger(service)
    await carl.signUp()

    const annSummary = await ann.post('/api/get_credit_summary')
    const carlSummary = await carl.post('/api/get_credit_summary')
    const { body } = await carl.post('/api/list_credit_entries')

    assert.deepEqual([annSummary.body, carlSummary.body], [{ balance: 0 }, { balance: 250 }])
    const [{ id }] = body.items
    const booked = { amount: 250, balance_after: 250, source_type: 'signup', source_id: carl.id }
    assert.deepEqual(body, { items: [{ id, ...booked, created_at: service.clock.now() }], total: 1 })
  })

  describe('after a stop at sign-up', () => {
    it.override('settings', { credits: { signup_reward_enabled: true, signup_reward_amount: 5 } })

    it('a missing balance is made, with the reward of that day', async ({ administrator, ann, shard }) => {
      await administrator.saveSettings('credits', { signup_reward_enabled: true, signup_reward_amount: 99 })
      await shard.batch([shard.deleteFrom('credit_balance'), shard.deleteFrom('credit_entries')])

      const [entries, ...answers] = await Promise.all([
        ann.post('/api/list_credit_entries'),
        ...[1, 2, 3].map(() => ann.post('/api/get_credit_summary')),
      ])

      assert.equal(entries.body.total, 1)
      for (const { body } of answers) assert.deepEqual(body, { balance: 5 })
      assert.equal((await ann.post('/api/list_credit_entries')).body.total, 1)
    })
  })

  it('entries page newest first, with the same total on each page', async ({ service, ann, ben, shard }) => {
    await grantCredits(service.platform, shard, ben.id, 4, { type: 'gift', id: 'of ben' })
    for (const i of [1, 2, 3])
      await grantCredits({ now: () => service.clock.now() + i }, shard, ann.id, i, { type: 'gift', id: `g${i}` })

    const second = await ann.post('/api/list_credit_entries', { page: 2, page_size: 2 })
    const past = await ann.post('/api/list_credit_entries', { page: 5 })

    assert.deepEqual([eachOf(second, 'source_id'), eachOf(second, 'balance_after')], [['g1'], [1]])
    assert.deepEqual([second.body.total, past.body], [3, { items: [], total: 3 }])
  })

  it('the balance never drifts from the ledger, in parallel', async ({ service, ann, ben, shard }) => {
    const owners = [ann.id, ben.id]
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
            grantCredits(service.platform, shard, owner, amount, { type, id: `${round}-${id}` }),
          ),
        )

        for (const owner of owners) {
          const balances = await shard.selectFrom('credit_balance').selectAll().where('user_id', '=', owner).execute()
          const entries = await shard.selectFrom('credit_entries').selectAll().where('user_id', '=', owner).execute()
          const sum = entries.reduce((total, { amount }) => total + amount, 0)
          assert.equal(balances[0]?.balance ?? 0, sum)
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
