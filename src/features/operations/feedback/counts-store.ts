import { type Kysely, type OnConflictBuilder, type RawBuilder, sql } from 'kysely'
import type { FeedbackCountsTable } from '../../../database/schema/operations.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { ConstraintViolation, type Shard } from '../../../database/store.ts'
import { BYTES_BESIDE_TEXT } from './counts.ts'

export function addToCounts(db: Kysely<ShardTables>, counts: readonly FeedbackCountsTable[]) {
  return db.insertInto('feedback_counts').values(counts).onConflict(addUp)
}

/**
 * If the user's would take more than `most`, `feedbacks` becomes null, which the column refuses. `writeAs` has locked
 * the user's row in `residents`, so the user's feedback is what is counted here.
 */
export function addToCountsWithin(
  most: number,
  db: Kysely<ShardTables>,
  counts: readonly FeedbackCountsTable[],
) {
  const bytes = sql<number>`coalesce(feedback_counts.bytes, ${storedBytes(db)}) + excluded.bytes`
  return db
    .insertInto('feedback_counts')
    .values(counts)
    .onConflict((conflict) =>
      conflict.columns(['kind', 'value', 'slot']).doUpdateSet({
        feedbacks: sql<number>`case when excluded.bytes is null or ${bytes} <= ${sql.lit(most)}
          then feedback_counts.feedbacks + excluded.feedbacks end`,
        bytes,
      }),
    )
}

export function isBeyondQuota(error: unknown): boolean {
  return (
    error instanceof ConstraintViolation && error.table === 'feedback_counts' && error.column === 'feedbacks'
  )
}

/** Of a user whose bytes were not counted yet. */
function storedBytes(db: Kysely<ShardTables>) {
  return db
    .selectFrom('feedbacks')
    .select(sumOfBytes.as('bytes'))
    .where('user_id', '=', sql<string>`feedback_counts.value`)
}

const sumOfBytes = sql<number>`cast(coalesce(sum(${sql.lit(BYTES_BESIDE_TEXT)} + octet_length(type) + octet_length(content) + octet_length(context) - 2), 0) as bigint)`

/** Bytes that are not counted yet stay so. */
function addUp(conflict: OnConflictBuilder<ShardTables, 'feedback_counts'>) {
  return conflict.columns(['kind', 'value', 'slot']).doUpdateSet({
    feedbacks: sql<number>`feedback_counts.feedbacks + excluded.feedbacks`,
    bytes: sql<number>`feedback_counts.bytes + excluded.bytes`,
  })
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
    .columns(['kind', 'value', 'slot', 'feedbacks', 'bytes'])
    .expression((db) =>
      db
        .selectFrom('feedbacks')
        .select([
          sql.lit(kind).as('kind'),
          value.as('value'),
          sql.lit(0).as('slot'),
          sql<number>`-count(*)`.as('feedbacks'),
          (kind === 'user'
            ? sql<number | null>`-${sumOfBytes}`
            : sql<number | null>`cast(null as bigint)`
          ).as('bytes'),
        ])
        .where('id', 'in', some)
        .groupBy(sql`2`)
        .orderBy(sql`2`),
    )
    .onConflict(addUp)
}
