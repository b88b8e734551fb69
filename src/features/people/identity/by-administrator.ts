import type { Platform } from '../../../platform/platform.ts'
import { type Act, type Actor, auditEntry } from '../../ground/audit/audit.ts'
import { updateUserRow } from '../users/statements.ts'
import { decideAboutUser, getUser } from '../users/users.ts'
import { administratorsLetter, countLetter, letterStatements, refuseLetterTooMany } from './codes/sending.ts'
import { refuseSynthetic } from './email-rules/email-rules.ts'

/** For a user who cannot find the page for it. */
export async function sendReset(platform: Platform, actor: Actor, id: string): Promise<void> {
  const { meta } = platform
  const { email } = await getUser(meta, id)
  refuseSynthetic(email)
  const letter = await administratorsLetter(platform, 'password-reset', email)
  const act: Act = { action: 'user.send_reset', subject: { type: 'user', id } }
  await decideAboutUser(meta, id, [countLetter(platform, letter)], async (decision, _, [count]) => {
    refuseLetterTooMany(platform, count)
    decision.write(...letterStatements(platform, letter, count), auditEntry(platform, actor, act))
  })
}

/**
 * On the administrator's word, for a user whom no mail reaches. It proves nothing: if a code is used later,
 * that still ends what others opened before.
 */
export async function markVerified(platform: Platform, actor: Actor, id: string): Promise<void> {
  const { meta, now } = platform
  const act: Act = {
    action: 'user.mark_verified',
    subject: { type: 'user', id },
    event: { type: 'user.verified', user_id: id, data: {} },
  } as const
  await decideAboutUser(meta, id, [], async (decision, user) => {
    if (user.email_verified === 1) return
    const changes = { email_verified: 1, updated_at: now() } as const
    decision.write(updateUserRow(meta, id, changes), auditEntry(platform, actor, act))
  })
}
