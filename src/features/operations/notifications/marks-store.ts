import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { amongJson } from '../../../database/sql/conditions.ts'
import { joinedAsJson } from '../../../database/sql/joined.ts'
import type { Shard } from '../../../database/store.ts'

export function marksAmong(shard: Shard, userId: string, ids: readonly string[]) {
  return ofPage(shard, { userId, ids: JSON.stringify(ids) })
}

const ofPage = prepared({ userId: '', ids: '' }, (db: Kysely<ShardTables>, { userId, ids }) =>
  db
    .selectFrom('notification_reads')
    .select('notification_id')
    .where('user_id', '=', userId)
    .where(amongJson(db, 'notification_id', ids)),
)

/** One row: 5,000 marks take two thirds of the time that they take as rows. Longer ids than ours name no notification. */
export function allMarks(shard: Shard, userId: string) {
  return ofUser(shard, { userId })
}

const ofUser = prepared({ userId: '' }, (db: Kysely<ShardTables>, { userId }) =>
  db
    .selectFrom('notification_reads')
    .select(joinedAsJson(db, 'notification_id').as('ids'))
    .where('user_id', '=', userId)
    .where(sql<boolean>`octet_length(notification_id) <= ${sql.lit(BYTES_OF_AN_ID)}`),
)

const BYTES_OF_AN_ID = 36

/** The most for one user: ids that name no notification are marked too. */
export const MOST_READ_MARKS = 50_000

function lastAllowed(db: Kysely<ShardTables>, userId: string) {
  return db
    .selectFrom('notification_reads')
    .select('notification_id')
    .where('user_id', '=', userId)
    .orderBy('notification_id')
    .offset(MOST_READ_MARKS - 1)
    .limit(1)
}

/**
 * Changes nothing if the mark exists or the limit is reached. `writeAs` has locked the user's row in `residents`, so
 * the number of marks stays the same until the commit.
 */
export const insertReadMark = prepared({ userId: '', id: '' }, (db: Kysely<ShardTables>, { userId, id }) =>
  db
    .insertInto('notification_reads')
    .columns(['notification_id', 'user_id'])
    .expression(
      db
        .selectNoFrom([sql.val(id).as('notification_id'), sql.val(userId).as('user_id')])
        .where(({ not, exists }) => not(exists(lastAllowed(db, userId)))),
    )
    .onConflict((conflict) => conflict.columns(['notification_id', 'user_id']).doNothing()),
)

export const readMark = prepared({ userId: '', id: '' }, (db: Kysely<ShardTables>, { userId, id }) =>
  db
    .selectFrom('notification_reads')
    .select('notification_id')
    .where('user_id', '=', userId)
    .where('notification_id', '=', id),
)

/** Existing marks stay; returns the new ones. */
export function insertReadMarks(shard: Shard, userId: string, ids: readonly string[]) {
  return shard
    .insertInto('notification_reads')
    .values(ids.map((notification_id) => ({ notification_id, user_id: userId })))
    .onConflict((conflict) => conflict.columns(['notification_id', 'user_id']).doNothing())
    .returning('notification_id')
}
