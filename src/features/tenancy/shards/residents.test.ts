import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import { describe } from 'vitest'
import { it as withService } from '../../../../test/service/it.ts'
import { prepared } from '../../../database/prepared.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import type { Shard } from '../../../database/store.ts'
import { holdResident } from './holding.ts'
import { writeAs } from './residents.ts'
import { getShard } from './shards.ts'

const it = withService.extend<{ shard: Shard }>({
  shard: async ({ service }, use) => use(getShard(service.platform, 'apac-1')),
})

describe('a write into a shard', () => {
  it('is refused as unavailable by the state of the user, and leaves nothing', async ({ shard, ann }) => {
    await holdResident(shard, { userId: ann.id, attempt: 1 }, 'held').execute()

    const insert = shard.insertInto('credit_balance').values({ user_id: 'somebody', balance: 1 })
    const write = writeAs(shard, ann.id, [insert])

    await assert.rejects(write, { name: 'StoreUnavailable' })
    const balances = shard.selectFrom('credit_balance').select('user_id')
    assert.deepEqual(await balances.where('user_id', '=', 'somebody').execute(), [])
  })

  it('that violates another column is not reported as a move of the user', async ({ shard, ann }) => {
    const nothing = { user_id: 'somebody', balance: sql<number>`null` }
    const write = writeAs(shard, ann.id, [shard.insertInto('credit_balance').values(nothing)])

    await assert.rejects(write, { name: 'ConstraintViolation', table: 'credit_balance', column: 'balance' })
  })

  it('with a value that nothing is bound to is an error', async ({ shard, ann }) => {
    const insert = prepared({ balance: 0 }, (db: Kysely<ShardTables>, { balance }) =>
      db.insertInto('credit_balance').values({ user_id: 'somebody', balance }),
    )

    const write = writeAs(shard, ann.id, [insert(shard, {} as { balance: number })])

    await assert.rejects(write, TypeError)
  })
})
