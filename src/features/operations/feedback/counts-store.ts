import { type Kysely, sql } from 'kysely'
import type { FeedbackCountsTable } from '../../../database/schema/operations.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { ConstraintViolation } from '../../../database/store.ts'
import { addUp, sumOfBytes } from './statements.ts'

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
