import { type Kysely, type OnConflictBuilder, type RawBuilder, sql } from 'kysely'
import type { FeedbackCountsTable } from '../../database/schema/operations.ts'
import type { ShardTables } from '../../database/schema/tables.ts'
import type { Shard } from '../../database/store.ts'

export function addToCounts(db: Kysely<ShardTables>, counts: readonly FeedbackCountsTable[]) {
  return db.insertInto('feedback_counts').values(counts).onConflict(addUp)
}

function addUp(conflict: OnConflictBuilder<ShardTables, 'feedback_counts'>) {
  return conflict
    .columns(['kind', 'value', 'slot'])
    .doUpdateSet({ feedbacks: sql<number>`feedback_counts.feedbacks + excluded.feedbacks` })
}

export function counter(shard: Kysely<ShardTables>, kind: FeedbackCountsTable['kind'], value: string) {
  return shard
    .selectFrom('feedback_counts')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('feedbacks'), sql<number>`0`).as('feedbacks'))
    .where('kind', '=', kind)
    .where('value', '=', value)
}

/**
 * In the order that `countsAt` keeps. The counts of one slot can be negative, but never their sum. Each statement
 * finds the same rows: the batch has locked the user's row in `residents`, so nobody else writes.
 */
export function deleteSomeFeedbacks(shard: Shard, userId: string, atMost: number) {
  const some = oldestOf(shard, userId, atMost)
  return [
    subtract(shard, some, 'user', sql<string>`user_id`),
    subtract(shard, some, 'all', sql<string>`''`),
    subtract(shard, some, 'type', sql<string>`type`),
    shard.deleteFrom('feedbacks').where('id', 'in', some).returning('id'),
    shard
      .deleteFrom('feedback_counts')
      .where('kind', '=', 'user')
      .where('value', '=', userId)
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom('feedbacks').select('id').where('user_id', '=', userId))),
      ),
  ]
}

function oldestOf(shard: Shard, userId: string, atMost: number) {
  return shard
    .selectFrom('feedbacks')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(atMost)
}

/** The conflict locks the sum before it changes; the lock that `deleteSomeFeedbacks` names keeps the rows as they are. */
function subtract(
  shard: Shard,
  some: ReturnType<typeof oldestOf>,
  kind: FeedbackCountsTable['kind'],
  value: RawBuilder<string>,
) {
  return shard
    .insertInto('feedback_counts')
    .columns(['kind', 'value', 'slot', 'feedbacks'])
    .expression((db) =>
      db
        .selectFrom('feedbacks')
        .select([
          sql.lit(kind).as('kind'),
          value.as('value'),
          sql.lit(0).as('slot'),
          sql<number>`-count(*)`.as('feedbacks'),
        ])
        .where('id', 'in', some)
        .groupBy(sql`2`)
        .orderBy(sql`2`),
    )
    .onConflict(addUp)
}
