import type { Shard } from '../../../database/store.ts'
import type { Belonging } from '../../tenancy/shards/belongings.ts'

export const IDEMPOTENCY_KEYS: Belonging = { table: 'idempotency_keys', key: 'id' }

/** In a batch that writes the user's row in `residents` first, which locks it: nobody else writes for this user. */
export function eraseKeys(shard: Shard, userId: string, atMost: number) {
  return shard
    .deleteFrom('idempotency_keys')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('idempotency_keys')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('id')
        .limit(atMost),
    )
    .returning('id')
}
