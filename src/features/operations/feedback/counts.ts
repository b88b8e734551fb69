import type { FeedbackCountsTable, FeedbacksTable } from '../../../database/schema/operations.ts'

const SLOTS = 16

export type Counted = Pick<FeedbacksTable, 'id' | 'user_id' | 'type' | 'content' | 'context'>

/** Of one user, in one shard. */
export const MOST_FEEDBACK_BYTES = 100_000_000

/** Its ids and times, and its place in the indexes. */
export const BYTES_BESIDE_TEXT = 100

export function bytesOf({ type, content, context }: Pick<Counted, 'type' | 'content' | 'context'>): number {
  const texts = Buffer.byteLength(type) + Buffer.byteLength(content)
  // Without context there are only its braces.
  return BYTES_BESIDE_TEXT + texts + Buffer.byteLength(context) - '{}'.length
}

/** The last digit of an id is random. */
export function slotOf(id: string): number {
  return Number.parseInt(id.slice(-1), 16) % SLOTS
}

/** What one row adds. Always in this order, so that two writers never wait for each other in a circle. */
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

/** What many rows add together, each counter once. */
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
