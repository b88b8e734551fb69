import { z } from 'zod'
import type { Platform } from '../../../platform/platform.ts'
import { Id } from '../../../rules/ids.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { type Actor, auditEntryIf } from '../../ground/audit/audit.ts'
import { clearSuspended, setSuspended, userOnly } from '../../people/users/statements.ts'
import { batchAboutUser, getUser } from '../../people/users/users.ts'
import { endAccess } from './ending.ts'

const Reason = z.string().trim().min(1).max(500)

export const SuspendUser = z.object({ id: Id, reason: Reason })
export type SuspendUser = z.output<typeof SuspendUser>

export const RestoreUser = z.object({ id: Id, reason: Reason.optional() })
export type RestoreUser = z.output<typeof RestoreUser>

/** Ends sessions and grants at once; until the user is restored, nothing opens a new one. */
export async function suspendUser(platform: Platform, actor: Actor, { id, reason }: SuspendUser) {
  const { meta, now } = platform
  const { role } = await getUser(meta, id)
  if (role === 'administrator') throw new Refusal('FORBIDDEN', 'The administrator cannot be suspended.')
  const user = userOnly(meta, id)
  await batchAboutUser(meta, id, [
    setSuspended(meta, id, reason, now()),
    ...endAccess(platform, 'suspended', user).statements,
    auditEntryIf(
      platform,
      actor,
      {
        action: 'user.suspend',
        subject: { type: 'user', id },
        details: { reason },
        event: { type: 'user.suspended', user_id: id, data: {} },
      },
      user,
    ),
  ])
}

/** Lets the user sign in again. What the suspension ended stays ended. */
export async function restoreUser(platform: Platform, actor: Actor, { id, reason }: RestoreUser) {
  const { meta } = platform
  await getUser(meta, id)
  const isSuspended = userOnly(meta, id).where('user.suspended_at', 'is not', null)
  const act = {
    action: 'user.restore',
    subject: { type: 'user', id },
    ...(reason !== undefined && { details: { reason } }),
    event: { type: 'user.restored', user_id: id, data: {} },
  } as const
  await batchAboutUser(meta, id, [auditEntryIf(platform, actor, act, isSuspended), clearSuspended(meta, id)])
}
