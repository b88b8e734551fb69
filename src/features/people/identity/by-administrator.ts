import type { Platform } from '../../../platform/platform.ts'
import { type Act, type Actor, auditEntry, auditEntryIf } from '../../ground/audit/audit.ts'
import { lockedUser, updateUserRow, userOnly } from '../users/statements.ts'
import { batchAboutUser, getUser, unknownUser } from '../users/users.ts'
import { administratorsLetter, countLetter, letterStatements, refuseLetterTooMany } from './codes/sending.ts'
import { refuseSynthetic } from './email-rules/email-rules.ts'

/** For a user who cannot find the page for it. */
export async function sendReset(platform: Platform, actor: Actor, id: string): Promise<void> {
  const { meta } = platform
  const { email } = await getUser(meta, id)
  refuseSynthetic(email)
  const letter = await administratorsLetter(platform, 'password-reset', email)
  const act: Act = { action: 'user.send_reset', subject: { type: 'user', id } }
  await meta.decide(
    [lockedUser(meta, id), countLetter(platform, letter)],
    async (decision, [user], [count]) => {
      if (!user) throw unknownUser()
      refuseLetterTooMany(platform, count)
      decision.write(...letterStatements(platform, letter, count), auditEntry(platform, actor, act))
    },
  )
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
