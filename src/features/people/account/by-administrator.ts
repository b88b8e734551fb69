import type { SignedInCall } from '../../../http/route.ts'
import { decideAboutUser } from '../../ground/acts/acts.ts'
import { updateUserRow } from '../users/statements.ts'
import { getUser } from '../users/users.ts'
import { administratorsLetter, countLetter, letterStatements, refuseLetterTooMany } from './codes/sending.ts'
import { refuseSynthetic } from './email-rules.ts'

/** Helps a user who cannot find the page for it. */
export async function sendReset(call: SignedInCall, id: string): Promise<void> {
  const { platform } = call
  const { email } = await getUser(platform.meta, id)
  refuseSynthetic(email)
  const letter = await administratorsLetter(platform, 'password-reset', email)
  await decideAboutUser(call, id, [countLetter(platform, letter)], async (act, _, [count]) => {
    refuseLetterTooMany(platform, count)
    act.write(...letterStatements(platform, letter, count))
    act.record('user.send_reset', { subject: { type: 'user', id } })
  })
}

/**
 * The administrator's word, for a user whom no mail reaches. It proves nothing: a code used later still ends what
 * others opened before.
 */
export async function markVerified(call: SignedInCall, id: string): Promise<void> {
  const { meta, now } = call.platform
  await decideAboutUser(call, id, [], async (act, user) => {
    if (user.email_verified === 1) return
    act.write(updateUserRow(meta, id, { email_verified: 1, updated_at: now() }))
    act.record('user.mark_verified', { user, subject: { type: 'user', id } })
  })
}
