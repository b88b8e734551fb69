import { lockRows, skipLockedRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'

export function openErasures(meta: Meta, limit: number) {
  return meta.primary
    .selectFrom('erasure')
    .selectAll()
    .where('done_at', 'is', null)
    .orderBy('attempts')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Returns no row once the erasure is done. */
export function lockedErasure(meta: Meta, id: string) {
  return meta.selectFrom('erasure').select('id').where('id', '=', id).where('done_at', 'is', null).$call(lockRows(meta))
}

export function markErased(meta: Meta, id: string, now: number) {
  return meta.updateTable('erasure').set({ done_at: now }).where('id', '=', id)
}

/** Deletes the oldest, at most this many; the rest the next time. Each is locked as it is read. */
export async function deleteErased(meta: Meta, before: number, atMost: number): Promise<void> {
  const oldest = meta
    .selectFrom('erasure')
    .select('id')
    .where('done_at', '<', before)
    .orderBy('id')
    .limit(atMost)
    .$call(skipLockedRows(meta))
  await meta.deleteFrom('erasure').where('id', 'in', oldest).execute()
}

export async function countAttempts(meta: Meta, ids: readonly string[]): Promise<void> {
  await meta
    .updateTable('erasure')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', 'in', ids)
    .execute()
}
