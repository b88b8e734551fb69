import { v7 as newId } from 'uuid'
import { batchBehind, type Guard } from '../../../../database/guard.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { lockAccessOf } from '../../../access/grants/statements.ts'
import { type Actor, auditEntryIf, forgetRefusedAddress } from '../../../ground/audit/audit.ts'
import { forgetDataOf } from '../../../ground/events/statements.ts'
import { keepCodeUsedBy } from '../../../operations/beta-codes/statements.ts'
import { ERASURE_JOB } from '../../../tenancy/moves/erasure.ts'
import { insertErasure } from '../../../tenancy/moves/statements.ts'
import { lockAssignment } from '../../../tenancy/shards/statements.ts'
import { deleteUserRow, lockUser, userById, userOnly } from '../../users/statements.ts'
import { getUser } from '../../users/users.ts'
import { deleteCodesOf } from '../codes/codes.ts'

/**
 * Deletes the user from the global store at once, with sessions and grants. The rows in the shard are deleted
 * in the background.
 */
export async function eraseUser(
  platform: Platform,
  userId: string,
  actor: Actor,
  guard?: Guard,
): Promise<void> {
  const { meta, now } = platform
  const user = await getUser(meta, userId)
  if (user.role === 'administrator') {
    throw new Refusal('FORBIDDEN', 'The administrator cannot be deleted.')
  }
  const erasure = { id: newId(), requestedBy: actor.id ?? userId, createdAt: now() }
  const deletion = {
    action: 'user.delete',
    subject: { type: 'user', id: userId },
    details: { erasure: erasure.id },
    event: { type: 'user.deleted', user_id: userId, data: {} },
  } as const
  const statements = [
    lockAssignment(meta, userId),
    insertErasure(meta, userId, erasure),
    deleteCodesOf(meta, userById(meta, userId).select('user.email')),
    keepCodeUsedBy(meta, userId),
    forgetDataOf(meta, userId),
    forgetRefusedAddress(platform, user.email),
    auditEntryIf(platform, actor, deletion, userOnly(meta, userId)),
    ...lockAccessOf(meta, userOnly(meta, userId)),
    deleteUserRow(meta, userId),
  ]
  if (guard) await batchBehind(meta, guard, statements)
  else await meta.batch([lockUser(meta, userId), ...statements])
  platform.background.wake(ERASURE_JOB)
}
