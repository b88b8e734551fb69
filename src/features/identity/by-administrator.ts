import type { Platform } from '../../platform/platform.ts'
import { isSynthetic } from '../../rules/email.ts'
import { Refusal } from '../../rules/refusal.ts'
import { type Actor, auditEntryIf } from '../audit/audit.ts'
import { refuseFullQueue } from '../mail/queue.ts'
import { lockUser, updateUserRow, userIds } from '../users/statements.ts'
import { getUser, unknownUser } from '../users/users.ts'
import { codeStatements } from './codes/codes.ts'

/** For a user who cannot find the page for it. */
export async function sendReset(platform: Platform, actor: Actor, id: string): Promise<void> {
  const { meta } = platform
  const { email } = await getUser(meta, id)
  if (isSynthetic(email))
    throw new Refusal('EMAIL_DOMAIN_NOT_ALLOWED', 'Mail cannot be delivered to this address.')
  await refuseFullQueue(platform)
  const lock = lockUser(meta, id)
  const users = userIds(meta).where('user.id', '=', id)
  const act = { action: 'user.send_reset', subject: { type: 'user', id } }
  const rows = await meta.batch([
    lock,
    ...(await codeStatements(platform, 'password-reset', email, { users })),
    auditEntryIf(platform, actor, act, users),
  ])
  if (rows.of(lock).length === 0) throw unknownUser()
}

/**
 * On the administrator's word, for a user whom no mail reaches. It proves nothing: if a code is used later,
 * that still ends what others opened before.
 */
export async function markVerified(platform: Platform, actor: Actor, id: string): Promise<void> {
  const { meta, now } = platform
  await getUser(meta, id)
  const isUnverified = userIds(meta).where('user.id', '=', id).where('user.email_verified', '=', 0)
  const act = {
    action: 'user.mark_verified',
    subject: { type: 'user', id },
    event: { type: 'user.verified', user_id: id, data: {} },
  } as const
  const lock = lockUser(meta, id)
  const rows = await meta.batch([
    lock,
    auditEntryIf(platform, actor, act, isUnverified),
    updateUserRow(meta, id, { email_verified: 1, updated_at: now() }),
  ])
  if (rows.of(lock).length === 0) throw unknownUser()
}
