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

export function markErased(meta: Meta, id: string, now: number) {
  return meta.updateTable('erasure').set({ done_at: now }).where('id', '=', id).where('done_at', 'is', null)
}

export async function countAttempts(meta: Meta, ids: readonly string[]): Promise<void> {
  await meta
    .updateTable('erasure')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', 'in', ids)
    .execute()
}
