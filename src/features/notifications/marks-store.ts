import type { Kysely } from 'kysely'
import { preparedQuery, preparedQueryForIds } from '../../database/prepared.ts'
import type { ShardTables } from '../../database/schema.ts'
import type { Shard } from '../../database/store.ts'

export const marksAmong = preparedQueryForIds((db: Kysely<ShardTables>, ids) =>
  db
    .selectFrom('notification_reads')
    .select('notification_id')
    .where('user_id', '=', '')
    .where('notification_id', 'in', ids),
)

/** As rows: a mark can be of any text, so there is no separator to join them by. */
export const allMarks = preparedQuery((db: Kysely<ShardTables>) =>
  db.selectFrom('notification_reads').select('notification_id').where('user_id', '=', ''),
)

/** Marks that exist already stay; returns the new ones. */
export function insertReadMarks(shard: Shard, userId: string, ids: readonly string[]) {
  return shard
    .insertInto('notification_reads')
    .values(ids.map((notification_id) => ({ notification_id, user_id: userId })))
    .onConflict((conflict) => conflict.columns(['notification_id', 'user_id']).doNothing())
    .returning('notification_id')
}

export function deleteSomeReadMarks(shard: Shard, userId: string, atMost: number) {
  return shard
    .deleteFrom('notification_reads')
    .where('user_id', '=', userId)
    .where('notification_id', 'in', (eb) =>
      eb
        .selectFrom('notification_reads')
        .select('notification_id')
        .where('user_id', '=', userId)
        .orderBy('notification_id')
        .limit(atMost),
    )
    .returning('notification_id')
}
