import type { FeedbackCountsTable, FeedbacksTable } from '../../store/schema.ts'

const SLOTS = 16

/** What one row adds. Always in this order, so that two writers never wait for each other in a circle. */
export function countsOf({
  id,
  user_id,
  type,
}: Pick<FeedbacksTable, 'id' | 'user_id' | 'type'>): readonly FeedbackCountsTable[] {
  // The last digit of an id is random.
  const slot = Number.parseInt(id.slice(-1), 16) % SLOTS
  return [
    { kind: 'user', value: user_id, slot: 0, feedbacks: 1 },
    { kind: 'all', value: '', slot, feedbacks: 1 },
    { kind: 'type', value: type, slot, feedbacks: 1 },
  ]
}
