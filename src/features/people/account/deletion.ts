import type { UserTable } from '../../../database/schema/people/users.ts'
import { requireFresh } from '../../../http/freshness.ts'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Role } from '../../../rules/caller.ts'
import { newId } from '../../../rules/ids.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { refuseColleague } from '../../../rules/staff.ts'
import { deleteActsOf } from '../../access/grant-calls/statements.ts'
import { forgetEndedAccess, grantIdsOf, grantUsesOf, lockAccessOf } from '../../access/grants/statements.ts'
import { type Act, type Doer, decide, decideAboutUser } from '../../ground/acts/acts.ts'
import { forgetRefusedAddress } from '../../ground/audit/audit.ts'
import { forgetDataOf } from '../../ground/events/statements.ts'
import { keepCodeUsedBy } from '../../operations/beta-codes/statements.ts'
import { ERASURE_JOB } from '../../tenancy/moves/erasure.ts'
import { insertErasure } from '../../tenancy/moves/statements.ts'
import { lockAssignment } from '../../tenancy/shards/statements.ts'
import { endMembershipsOf } from '../memberships/ending.ts'
import { leaveActive } from '../sessions/accounts.ts'
import { decideSignedIn } from '../sessions/sessions.ts'
import { sessionUsesOf } from '../sessions/statements.ts'
import { endStaff } from '../staff/ending.ts'
import { deleteUserRow, findUser, lockedUser } from '../users/statements.ts'
import { deleteMailedCodesOf } from './codes/store.ts'
import type { DeleteUser } from './input.ts'
import { isUnproven, lastUse } from './last-use.ts'
import { checkedPasswordHash, wrongCurrentPassword } from './password.ts'
import { accountWithPassword, findPasswordHash } from './statements.ts'

function refuseAdministrator({ role }: { readonly role: Role }): void {
  if (role === 'administrator') throw new Refusal('FORBIDDEN', 'The administrator cannot be deleted.')
}

export async function eraseUser(call: SignedInCall, userId: string): Promise<void> {
  const { platform } = call
  const found = await findUser(platform.meta, userId)
  if (found) {
    refuseAdministrator(found)
    refuseColleague(call.caller.user, found)
  }
  await forgetHistoryOf(platform, userId)
  await decideAboutUser(call, userId, [], async (act, user) => {
    await endMembershipsOf(act, platform, user, 'others')
    await erase(act, call, user)
  })
  platform.background.wake(ERASURE_JOB)
}

/** A user with a password must give it here; that proves as much as a fresh session. */
export async function deleteUser(call: SignedInCall, { password }: DeleteUser) {
  const { platform, caller } = call
  refuseAdministrator(caller.user)
  const { meta } = platform
  const { id } = caller.user
  const stored = await findPasswordHash(meta, id)
  if (stored === undefined) requireFresh(call)
  const checked = stored === undefined ? undefined : await checkedPasswordHash(call, password ?? '')
  const proof = checked === undefined ? undefined : accountWithPassword(meta, id, checked)
  await forgetHistoryOf(platform, id)
  await decideSignedIn(call, [proof], async (act, user, [unchanged]) => {
    if (checked !== undefined && !unchanged) throw wrongCurrentPassword()
    await endMembershipsOf(act, platform, user, 'the user')
    await erase(act, call, user)
  })
  platform.background.wake(ERASURE_JOB)
  await leaveActive(call)
  return { success: true as const }
}

/** Deletes an account unless somebody has used it since, or has proved its address meanwhile. */
export async function eraseUnverified(platform: Platform, userId: string, unusedSince: number): Promise<void> {
  const { meta } = platform
  await forgetHistoryOf(platform, userId)
  const uses = [sessionUsesOf(meta, [userId]), grantUsesOf(meta, [userId])] as const
  await decide({ platform }, [lockedUser(meta, userId), ...uses], async (act, [user], sessions, grants) => {
    if (!user || !isUnproven(user) || lastUse(user, [...sessions, ...grants], platform.now()) > unusedSince) return
    await endMembershipsOf(act, platform, user, 'others')
    await erase(act, { platform }, user, { reason: 'unverified' })
  })
  platform.background.wake(ERASURE_JOB)
}

/** Deletes expired rows in parts before the decision, which then has few left to delete. */
async function forgetHistoryOf({ meta, now }: Platform, userId: string): Promise<void> {
  await deleteActsOf(meta, grantIdsOf(meta, userId))
  await forgetEndedAccess(meta, userId, now())
}

/**
 * Deletes the user from the global store at once, with sessions and grants; the user must be locked. The rows in the
 * shard are deleted in the background.
 */
async function erase(act: Act, doer: Doer, user: UserTable, data: { readonly reason?: 'unverified' } = {}) {
  refuseAdministrator(user)
  const { platform, caller } = doer
  const { meta, now } = platform
  const { id, email } = user
  const erasure = { id: newId(), requestedBy: caller?.user.id ?? id, createdAt: now() }
  act.write(
    lockAssignment(meta, id),
    insertErasure(meta, id, erasure),
    deleteMailedCodesOf(meta, email),
    keepCodeUsedBy(meta, id),
    forgetDataOf(meta, id),
    forgetRefusedAddress(platform, email),
  )
  await endStaff(act, doer, user)
  const details = { erasure: erasure.id, ...data }
  act.record('user.delete', { user, subject: { type: 'user', id }, details, data })
  act.write(...lockAccessOf(meta, id), deleteUserRow(meta, id))
}
