import type { Compilable } from 'kysely'
import type { BatchRows } from '../../../database/batch-rows.ts'
import type { Shard } from '../../../database/store.ts'
import { eraseFeedbacks } from '../../operations/feedback/statements.ts'
import { BELONGINGS, deleteSome } from './belongings-store.ts'

export const ERASED_AT_ONCE = 200

/** Feedback is counted, so it is deleted with its counts. */
const UNCOUNTED = BELONGINGS.filter(({ table }) => table !== 'feedbacks')

/** Writes a batch behind the caller's guard. */
type Write = (statements: readonly Compilable<unknown>[]) => Promise<BatchRows>

/**
 * Deletes one batch of a user's rows in a shard, small enough for every time limit; totals are correct after
 * each batch. Returns true while there can be more rows.
 */
export async function eraseSome(shard: Shard, userId: string, write: Write): Promise<boolean> {
  const erased = await write([
    ...eraseFeedbacks(shard, userId, ERASED_AT_ONCE),
    ...UNCOUNTED.map((belonging) => deleteSome(shard, userId, belonging, ERASED_AT_ONCE)),
  ])
  return erased.most() >= ERASED_AT_ONCE
}
