import { z } from 'zod'
import type { Platform } from '../../../platform/platform.ts'
import { Id } from '../../../rules/ids.ts'
import { textOf } from '../../../rules/names.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { type Act, type Actor, auditEntry } from '../../ground/audit/audit.ts'
import { updateUserRow } from '../../people/users/statements.ts'
import { decideAboutUser } from '../../people/users/users.ts'
import { endAccess } from './ending.ts'

const Reason = textOf(500).trim()

export const SuspendUser = z.object({ id: Id, reason: Reason })
export type SuspendUser = z.output<typeof SuspendUser>

export const RestoreUser = z.object({ id: Id, reason: Reason.optional() })
export type RestoreUser = z.output<typeof RestoreUser>

/** Ends sessions and grants at once; until the user is restored, nothing opens a new one. */
export async function suspendUser(platform: Platform, actor: Actor, { id, reason }: SuspendUser) {
  const { meta, now } = platform
  const act: Act = {
    action: 'user.suspend',
    subject: { type: 'user', id },
    details: { reason },
    event: { type: 'user.suspended', user_id: id, data: {} },
  }
  await decideAboutUser(meta, id, [], async (decision, { role, suspended_at }) => {
    if (role === 'administrator') throw new Refusal('FORBIDDEN', 'The administrator cannot be suspended.')
    decision.write(
      updateUserRow(meta, id, { suspended_at: suspended_at ?? now(), suspension_reason: reason }),
      ...endAccess(platform, 'suspended', id),
      auditEntry(platform, actor, act),
    )
  })
}

/** Lets the user sign in again. What the suspension ended stays ended. */
export async function restoreUser(platform: Platform, actor: Actor, { id, reason }: RestoreUser) {
  const { meta } = platform
  const act: Act = {
    action: 'user.restore',
    subject: { type: 'user', id },
    ...(reason !== undefined && { details: { reason } }),
    event: { type: 'user.restored', user_id: id, data: {} },
  }
  await decideAboutUser(meta, id, [], async (decision, user) => {
    if (user.suspended_at === null) return
    const changes = { suspended_at: null, suspension_reason: null }
    decision.write(updateUserRow(meta, id, changes), auditEntry(platform, actor, act))
  })
}
