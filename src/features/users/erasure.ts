import { v7 as newId } from 'uuid'
import { Refusal } from '../../http/refusal.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Actor, auditEntry } from '../audit/audit.ts'
import * as store from './store.ts'

/**
 * The global rows go at once, and with them sessions and grants. The numbered erasure that stays
 * behind has the shard's rows removed until nothing is left.
 */
export async function eraseUser(platform: Platform, userId: string, actor: Actor): Promise<void> {
  const { meta, now } = platform
  const erasureId = newId()
  const erasure = {
    id: erasureId,
    requested_by: actor.id ?? userId,
    created_at: now(),
  }
  const [, gone] = await meta.batch([
    store.insertErasure(meta, userId, erasure),
    store.deleteUser(meta, userId),
    auditEntry(platform, actor, {
      action: 'user.delete',
      subject: { type: 'user', id: userId },
      details: { erasure: erasureId },
    }),
  ])
  if (gone.length === 0) throw new Refusal('NOT_FOUND', 'There is no such user, or it is the administrator.')
  platform.background.wake('erasure')
}
