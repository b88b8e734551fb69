import type { Platform } from '../../platform/platform.ts'
import { type Act, type Actor, auditEntryIf } from '../audit/audit.ts'
import { refuseFullQueue } from '../mail/queue.ts'
import { updateUserRow, userOnly } from '../users/statements.ts'
import { batchAboutUser, getUser } from '../users/users.ts'
import { codeStatements } from './codes/codes.ts'
import { refuseSynthetic } from './email-rules/email-rules.ts'

/** For a user who cannot find the page for it. */
export async function sendReset(platform: Platform, actor: Actor, id: string): Promise<void> {
  const { meta } = platform
  const { email } = await getUser(meta, id)
  refuseSynthetic(email)
  await refuseFullQueue(platform)
  const users = userOnly(meta, id)
  const act: Act = { action: 'user.send_reset', subject: { type: 'user', id } }
  await batchAboutUser(meta, id, [
    ...(await codeStatements(platform, 'password-reset', email, { users })),
    auditEntryIf(platform, actor, act, users),
  ])
}

/**
 * On the administrator's word, for a user whom no mail reaches. It proves nothing: if a code is used later,
 * that still ends what others opened before.
 */
export async function markVerified(platform: Platform, actor: Actor, id: string): Promise<void> {
  const { meta, now } = platform
  await getUser(meta, id)
  const isUnverified = userOnly(meta, id).where('user.email_verified', '=', 0)
  const act: Act = {
    action: 'user.mark_verified',
    subject: { type: 'user', id },
    event: { type: 'user.verified', user_id: id, data: {} },
  } as const
  await batchAboutUser(meta, id, [
    auditEntryIf(platform, actor, act, isUnverified),
    updateUserRow(meta, id, { email_verified: 1, updated_at: now() }),
  ])
}
