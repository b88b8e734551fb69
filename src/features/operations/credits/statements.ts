import { type CreatedKey, createdAfter } from '../../../database/sql/conditions.ts'
import type { Shard } from '../../../database/store.ts'
import type { Belonging } from '../../tenancy/shards/belongings.ts'

export const CREDITS: readonly Belonging[] = [
  { table: 'credit_balance', key: 'user_id' },
  { table: 'credit_entries', key: 'id' },
]

/** Oldest first. */
export function creditEntriesAfter(shard: Shard, userId: string, after: CreatedKey | undefined, limit: number) {
  return shard
    .selectFrom('credit_entries')
    .select(['id', 'amount', 'balance_after', 'source_type', 'source_id', 'created_at'])
    .where('user_id', '=', userId)
    .where((eb) => eb.and([...createdAfter(after)]))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
}

export function balanceOf(shard: Shard, userId: string) {
  return shard.selectFrom('credit_balance').select('balance').where('user_id', '=', userId)
}
