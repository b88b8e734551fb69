import { type Kysely, type OnConflictBuilder, sql } from 'kysely'
import type { FeedbackCountsTable, FeedbacksTable } from '../../../database/schema/operations.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { ConstraintViolation } from '../../../database/store.ts'

const SLOTS = 16

export type Counted = Pick<FeedbacksTable, 'id' | 'user_id' | 'type' | 'content' | 'context'>

/** The most for one user, in one shard. */
export const MOST_FEEDBACK_BYTES = 100_000_000

/** Covers the ids, the times, and the index entries. */
const BYTES_BESIDE_TEXT = 100

export function bytesOf({ type, content, context }: Pick<Counted, 'type' | 'content' | 'context'>): number {
  const texts = Buffer.byteLength(type) + Buffer.byteLength(content)
  // An empty context is only its braces.
  return BYTES_BESIDE_TEXT + texts + Buffer.byteLength(context) - '{}'.length
}

/** The last digit of an id is random. */
export function slotOf(id: string): number {
  return Number.parseInt(id.slice(-1), 16) % SLOTS
}

/** The counters that one row adds to, always in this order, so that two writers never deadlock. */
export function countsAt(
  slot: number,
  { user_id, type, bytes }: Pick<Counted, 'user_id' | 'type'> & { readonly bytes: number },
): readonly FeedbackCountsTable[] {
  return [
    { kind: 'user', value: user_id, slot: 0, feedbacks: 1, bytes },
    { kind: 'all', value: '', slot, feedbacks: 1, bytes: null },
    { kind: 'type', value: type, slot, feedbacks: 1, bytes: null },
  ]
}

/** The sums of many rows, each counter once. */
export function sumOfCounts(rows: readonly Counted[]): readonly FeedbackCountsTable[] {
  const sums = new Map<string, FeedbackCountsTable>()
  const counts = rows.flatMap((row) => countsAt(slotOf(row.id), { ...row, bytes: bytesOf(row) }))
  for (const count of counts) {
    const key = `${ORDER[count.kind]} ${count.value} ${String(count.slot).padStart(2, '0')}`
    const sum = sums.get(key)
    const bytes = count.bytes === null ? null : count.bytes + (sum?.bytes ?? 0)
    sums.set(key, { ...count, feedbacks: 1 + (sum?.feedbacks ?? 0), bytes })
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
}

const ORDER = { user: 0, all: 1, type: 2 } as const

/**
 * If the user's feedback would take more than `most` bytes, `feedbacks` becomes null, which the column refuses.
 * `writeAs` has locked the user's row in `residents`, so the user's feedback is what is counted here.
 */
export function addToCountsWithin(most: number, db: Kysely<ShardTables>, counts: readonly FeedbackCountsTable[]) {
  const bytes = sql<number>`feedback_counts.bytes + excluded.bytes`
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
  return error instanceof ConstraintViolation && error.table === 'feedback_counts' && error.column === 'feedbacks'
}

/** Counts the bytes of a user's rows, if that has not been done yet, behind the same lock and before more are added. */
export function countStoredBytes(db: Kysely<ShardTables>, userId: string) {
  const stored = db.selectFrom('feedbacks').select(sumOfBytes.as('bytes')).where('user_id', '=', userId)
  return db
    .updateTable('feedback_counts')
    .set({ bytes: sql<number>`(${stored})` })
    .where('kind', '=', 'user')
    .where('value', '=', userId)
    .where('slot', '=', 0)
    .where('bytes', 'is', null)
}

/** Bytes that are not counted yet stay so. */
export function addUp(conflict: OnConflictBuilder<ShardTables, 'feedback_counts'>) {
  return conflict.columns(['kind', 'value', 'slot']).doUpdateSet({
    feedbacks: sql<number>`feedback_counts.feedbacks + excluded.feedbacks`,
    bytes: sql<number>`feedback_counts.bytes + excluded.bytes`,
  })
}

export const sumOfBytes = sql<number>`cast(coalesce(sum(${sql.lit(BYTES_BESIDE_TEXT)} + octet_length(type) + octet_length(content) + octet_length(context) - 2), 0) as bigint)`
