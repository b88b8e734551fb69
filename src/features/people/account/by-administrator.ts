import { Overtaken } from '../../../database/overtaken.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { decideAboutUser } from '../../ground/acts/acts.ts'
import { requesterOf } from '../../ground/limits/requester.ts'
import { bySettings } from '../../ground/settings/current-settings.ts'
import { formerAddress } from '../users/email-changes.ts'
import { lockedUserByEmail, updateUserRow } from '../users/statements.ts'
import { getUser } from '../users/users.ts'
import { administratorsLetter, countLetter, letterStatements, refuseLetterTooMany } from './codes/sending.ts'
import { addressTaken, createBalance, decideNewcomer, newUser } from './creation.ts'
import { refuseSynthetic } from './email-rules.ts'
import type { CreateUser, InviteUser } from './input.ts'
import { refuseWeakPassword } from './password-rules.ts'
import * as store from './store.ts'

/**
 * Works even while registration is off, and for any domain. A user who is created without a password cannot sign in
 * yet.
 */
export async function createUserFor(call: SignedInCall, { email, name, password }: CreateUser) {
  const { platform, sender } = call
  refuseSynthetic(email)
  if (password !== undefined) await refuseWeakPassword(platform, email, password)
  const password_hash =
    password === undefined ? null : await platform.passwords.hash(password, requesterOf(sender, email))
  const newcomer = newUser({ email, name: name ?? email, password_hash })
  const created = await bySettings(platform, (settings) =>
    decideNewcomer(call, settings, newcomer, [], async (act, created) => {
      if (!created) throw addressTaken()
      act.record('user.create', { subject: { type: 'user', id: newcomer.id } })
      return created
    }),
  )
  await createBalance(platform, created)
  return { id: created.user.id }
}

/** The link in the letter sets the first credential. A user who has not used the link gets a new one. */
export async function inviteUser(call: SignedInCall, { email, name }: InviteUser) {
  const { platform } = call
  const { meta, now } = platform
  refuseSynthetic(email)
  const letter = await administratorsLetter(platform, 'invitation', email)
  const newcomer = newUser({ email, name: name ?? email })
  const read = [
    lockedUserByEmail(meta, email),
    store.unclaimedUser(meta, email),
    countLetter(platform, letter),
    formerAddress(meta, email, now()),
  ] as const
  const { id, created } = await bySettings(platform, (settings) =>
    decideNewcomer(call, settings, newcomer, read, async (act, created, [user], [claimable], [count], [former]) => {
      if (!user && former) throw addressTaken()
      if (!user) throw new Overtaken('the user was deleted while this waited for the lock')
      if (!claimable) throw addressTaken()
      refuseLetterTooMany(platform, count)
      act.write(...letterStatements(platform, letter, count))
      act.record('user.invite', { subject: { type: 'user', id: user.id } })
      return { id: user.id, created }
    }),
  )
  if (created) await createBalance(platform, created)
  return { id }
}

/** Mails a reset link to a user who cannot find the page that sends one. */
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
 * Verifies the address of a user whom no mail reaches, on the administrator's word. It proves nothing: a code used
 * later still ends access that others opened before.
 */
export async function markVerified(call: SignedInCall, id: string): Promise<void> {
  const { meta, now } = call.platform
  await decideAboutUser(call, id, [], async (act, user) => {
    if (user.email_verified === 1) return
    act.write(updateUserRow(meta, id, { email_verified: 1, updated_at: now() }))
    act.record('user.mark_verified', { user, subject: { type: 'user', id } })
  })
}
