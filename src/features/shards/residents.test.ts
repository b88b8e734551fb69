import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import { describe } from 'vitest'
import { it } from '../../../test/service/it.ts'
import { prepared } from '../../database/prepared.ts'
import type { ShardTables } from '../../database/schema/tables.ts'
import { closeResident, writeAs } from './residents.ts'
import { getShard } from './shards.ts'

describe('a write into a shard', () => {
  it('is refused as unavailable by the state of the user, and leaves nothing', async ({ service, ann }) => {
    const shard = getShard(service.platform, 'apac-1')
    await closeResident(shard, ann.id, 'held').execute()

    const write = writeAs(shard, ann.id, [insertBalance(shard, 'somebody')])

    await assert.rejects(write, { name: 'StoreUnavailable' })
    const rows = await shard
      .selectFrom('credit_balance')
      .where('user_id', '=', 'somebody')
      .selectAll()
      .execute()
    assert.deepEqual(rows, [])
  })

  it('that violates another column is not reported as a move of the user', async ({ service, ann }) => {
    const shard = getShard(service.platform, 'apac-1')

    const write = writeAs(shard, ann.id, [
      shard.insertInto('credit_balance').values({ user_id: 'somebody', balance: sql<number>`null` }),
    ])

    await assert.rejects(write, { name: 'ConstraintViolation', table: 'credit_balance', column: 'balance' })
  })

  it('with a value that nothing is bound to is an error', async ({ service, ann }) => {
    const shard = getShard(service.platform, 'apac-1')
    const insert = prepared({ balance: 0 }, (db: Kysely<ShardTables>, { balance }) =>
      db.insertInto('credit_balance').values({ user_id: 'somebody', balance }),
    )

    const write = writeAs(shard, ann.id, [insert(shard, {} as { balance: number })])

    await assert.rejects(write, TypeError)
  })
})

function insertBalance(shard: Parameters<typeof writeAs>[0], user_id: string) {
  return shard.insertInto('credit_balance').values({ user_id, balance: 1 })
}
