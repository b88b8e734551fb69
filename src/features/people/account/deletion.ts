import { v7 as newId } from 'uuid'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Role } from '../../../rules/caller.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { deleteActsOf } from '../../access/grant-calls/statements.ts'
import { forgetEndedAccess, grantIdsOf, lockAccessOf } from '../../access/grants/statements.ts'
import { decideAboutUser } from '../../ground/acts/acts.ts'
import { type Actor, auditEntry, forgetRefusedAddress, type NewEntry } from '../../ground/audit/audit.ts'
import { forgetDataOf } from '../../ground/events/statements.ts'
import { keepCodeUsedBy } from '../../operations/beta-codes/statements.ts'
import { ERASURE_JOB } from '../../tenancy/moves/erasure.ts'
import { insertErasure } from '../../tenancy/moves/statements.ts'
import { lockAssignment } from '../../tenancy/shards/statements.ts'
import { deleteUserRow, findUser } from '../users/statements.ts'
import { deleteCodesOf } from './codes/store.ts'

export function refuseAdministrator({ role }: { readonly role: Role }): void {
  if (role === 'administrator') throw new Refusal('FORBIDDEN', 'The administrator cannot be deleted.')
}

export async function eraseUser(platform: Platform, userId: string, actor: Actor): Promise<void> {
  const found = await findUser(platform.meta, userId)
  if (found) refuseAdministrator(found)
  await forgetHistoryOf(platform, userId)
  await decideAboutUser({ platform }, userId, [], async (act, user) => {
    act.write(...erasureOf(platform, user, actor))
  })
  platform.background.wake(ERASURE_JOB)
}

/** Runs before the decision. Expired rows go in parts, so that the rest goes at once in a short moment. */
export async function forgetHistoryOf({ meta, now }: Platform, userId: string): Promise<void> {
  await deleteActsOf(meta, grantIdsOf(meta, userId))
  await forgetEndedAccess(meta, userId, now())
}

/**
 * For a decision that has locked the user: deletes the user from the global store at once, with sessions and grants.
 * The rows in the shard are deleted in the background.
 */
export function erasureOf(platform: Platform, user: UserTable, actor: Actor) {
  refuseAdministrator(user)
  const { meta, now } = platform
  const { id, email } = user
  const erasure = { id: newId(), requestedBy: actor.id ?? id, createdAt: now() }
  const deletion: NewEntry = {
    action: 'user.delete',
    subject: { type: 'user', id },
    details: { erasure: erasure.id },
    event: { type: 'user.deleted', user_id: id, data: {} },
  }
  return [
    lockAssignment(meta, id),
    insertErasure(meta, id, erasure),
    deleteCodesOf(meta, email),
    keepCodeUsedBy(meta, id),
    forgetDataOf(meta, id),
    forgetRefusedAddress(platform, email),
    auditEntry(platform, actor, deletion),
    ...lockAccessOf(meta, id),
    deleteUserRow(meta, id),
  ]
}
