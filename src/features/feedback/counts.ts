import type { FeedbackCountsTable, FeedbacksTable } from '../../database/schema/operations.ts'

const SLOTS = 16

type Counted = Pick<FeedbacksTable, 'id' | 'user_id' | 'type'>

/** The last digit of an id is random. */
export function slotOf(id: string): number {
  return Number.parseInt(id.slice(-1), 16) % SLOTS
}

/** What one row adds. Always in this order, so that two writers never wait for each other in a circle. */
export function countsAt(
  slot: number,
  { user_id, type }: Omit<Counted, 'id'>,
): readonly FeedbackCountsTable[] {
  return [
    { kind: 'user', value: user_id, slot: 0, feedbacks: 1 },
    { kind: 'all', value: '', slot, feedbacks: 1 },
    { kind: 'type', value: type, slot, feedbacks: 1 },
  ]
}

/** What many rows add together, each counter once. */
export function sumOfCounts(rows: readonly Counted[]): readonly FeedbackCountsTable[] {
  const sums = new Map<string, FeedbackCountsTable>()
  for (const count of rows.flatMap((row) => countsAt(slotOf(row.id), row))) {
    const key = `${ORDER[count.kind]} ${count.value} ${String(count.slot).padStart(2, '0')}`
    sums.set(key, { ...count, feedbacks: (sums.get(key)?.feedbacks ?? 0) + 1 })
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
}

const ORDER = { user: 0, all: 1, type: 2 } as const
