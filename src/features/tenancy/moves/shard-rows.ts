import type { Compilable } from 'kysely'
import type { BatchRows } from '../../../database/batch-rows.ts'
import type { Shard } from '../../../database/store.ts'
import { eraseKeys } from '../../ground/idempotency/statements.ts'
import { eraseCredits } from '../../operations/credits/statements.ts'
import { eraseFeedbacks } from '../../operations/feedback/statements.ts'
import { eraseReadMarks } from '../../operations/notifications/statements.ts'

export const ERASED_AT_ONCE = 200

/** Writes a batch behind the caller's guard. */
type Write = (statements: readonly Compilable<unknown>[]) => Promise<BatchRows>

/**
 * Deletes one batch of a user's rows in a shard, small enough for every time limit; totals are correct after
 * each batch. Returns true while there can be more rows.
 */
export async function eraseSome(shard: Shard, userId: string, write: Write): Promise<boolean> {
  const erased = await write([
    ...eraseFeedbacks(shard, userId, ERASED_AT_ONCE),
    eraseReadMarks(shard, userId, ERASED_AT_ONCE),
    ...eraseCredits(shard, userId, ERASED_AT_ONCE),
    eraseKeys(shard, userId, ERASED_AT_ONCE),
  ])
  return erased.most() >= ERASED_AT_ONCE
}
