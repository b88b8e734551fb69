import { z } from 'zod'
import type { SignedInCall } from '../../../http/route.ts'
import { Id } from '../../../rules/ids.ts'
import { textOf } from '../../../rules/names.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { decideAboutUser } from '../../ground/acts/acts.ts'
import { recountOwnersOf } from '../../people/memberships/ending.ts'
import { endStaff } from '../../people/staff/ending.ts'
import { updateUserRow } from '../../people/users/statements.ts'
import { endAccess } from './ending.ts'

const Reason = textOf(500).trim()

export const SuspendUser = z.object({ id: Id, reason: Reason })
export type SuspendUser = z.output<typeof SuspendUser>

export const RestoreUser = z.object({ id: Id, reason: Reason.optional() })
export type RestoreUser = z.output<typeof RestoreUser>

/** Ends sessions and grants at once; until the user is restored, nothing opens a new one. */
export async function suspendUser(call: SignedInCall, { id, reason }: SuspendUser) {
  const { meta, now } = call.platform
  await decideAboutUser(call, id, [], async (act, user) => {
    if (user.role === 'administrator') throw new Refusal('FORBIDDEN', 'The administrator cannot be suspended.')
    act.write(updateUserRow(meta, id, { suspended_at: user.suspended_at ?? now(), suspension_reason: reason }))
    await recountOwnersOf(act, { meta }, id)
    endAccess(act, call.platform, 'suspended', id)
    await endStaff(act, call, user)
    act.record('user.suspend', { user, subject: { type: 'user', id }, details: { reason }, data: {} })
  })
}

/** Lets the user sign in again. What the suspension ended stays ended. */
export async function restoreUser(call: SignedInCall, { id, reason }: RestoreUser) {
  const { meta } = call.platform
  await decideAboutUser(call, id, [], async (act, user) => {
    if (user.suspended_at === null) return
    act.write(updateUserRow(meta, id, { suspended_at: null, suspension_reason: null }))
    await recountOwnersOf(act, { meta }, id)
    const details = reason === undefined ? {} : { reason }
    act.record('user.restore', { user, subject: { type: 'user', id }, details, data: {} })
  })
}
