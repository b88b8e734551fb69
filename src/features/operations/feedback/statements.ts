import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FeedbackCountsTable } from '../../../database/schema/operations.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { type CreatedKey, createdAfter } from '../../../database/sql/conditions.ts'
import type { Shard } from '../../../database/store.ts'
import type { Belonging } from '../../tenancy/shards/belongings.ts'
import { addUp, sumOfBytes, sumOfCounts } from './counts-store.ts'

export const FEEDBACKS: Belonging = { table: 'feedbacks', key: 'id' }

/** Counts all feedback, or one user's, or one type's. */
export function feedbackCounter(shard: Kysely<ShardTables>, kind: FeedbackCountsTable['kind'], value: string) {
  return shard
    .selectFrom('feedback_counts')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('feedbacks'), sql<number>`0`).as('feedbacks'))
    .where('kind', '=', kind)
    .where('value', '=', value)
}

/** One statement, so that both are of one moment. */
export function countersAndRows(shard: Shard, kind: FeedbackCountsTable['kind']) {
  return shard.primary
    .selectNoFrom([
      sql<number>`(select cast(coalesce(sum(feedbacks), 0) as bigint) from feedback_counts where kind = ${kind})`.as(
        'counted',
      ),
      sql<number>`(select count(*) from feedbacks)`.as('rows'),
    ])
    .executeTakeFirstOrThrow()
}

/** Oldest first. */
export function feedbacksAfter(shard: Shard, userId: string, after: CreatedKey | undefined, limit: number) {
  return shard
    .selectFrom('feedbacks')
    .select(OWN)
    .where('user_id', '=', userId)
    .where((eb) => eb.and([...createdAfter(after)]))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
}

export const OWN = ['id', 'type', 'content', 'status', 'context', 'reply', 'replied_at', 'created_at'] as const

/**
 * Keeps the order of `countsAt`. One slot's counts can be negative, but never their sum. Each statement finds the same
 * rows: the decision has locked the user's row in `residents`, so nobody else writes.
 */
export function eraseFeedbacks(shard: Shard, userId: string, atMost: number) {
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

/** The conflict locks the sum before it changes; the lock that `eraseFeedbacks` names keeps the rows as they are. */
function subtract(
  shard: Shard,
  some: ReturnType<typeof oldestOf>,
  kind: FeedbackCountsTable['kind'],
  value: RawBuilder<string>,
) {
  return shard
    .insertInto('feedback_counts')
    .columns(['kind', 'value', 'slot', 'feedbacks', 'bytes'])
    .expression((db) =>
      db
        .selectFrom('feedbacks')
        .select([
          sql.lit(kind).as('kind'),
          value.as('value'),
          sql.lit(0).as('slot'),
          sql<number>`-count(*)`.as('feedbacks'),
          (kind === 'user' ? sql<number | null>`-${sumOfBytes}` : sql<number | null>`cast(null as bigint)`).as('bytes'),
        ])
        .where('id', 'in', some)
        .groupBy(sql`2`)
        .orderBy(sql`2`),
    )
    .onConflict(addUp)
}

/** Goes into the decision that copies these rows from another shard. */
export function countFeedbacks(shard: Shard, rows: Parameters<typeof sumOfCounts>[0]) {
  return shard.insertInto('feedback_counts').values(sumOfCounts(rows)).onConflict(addUp)
}
