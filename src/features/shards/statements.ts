import type { Meta } from '../../database/store.ts'

/** So that a move to another shard comes either before the batch or not at all. */
export function lockAssignment(meta: Meta, userId: string) {
  return meta
    .updateTable('user_shards')
    .set((eb) => ({ moves: eb.ref('moves') }))
    .where('user_id', '=', userId)
}
