import { randomBytes } from 'node:crypto'
import type { SignedInCall } from '../../../http/route.ts'
import { OPERATOR } from '../../../platform/passwords/passwords.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { endAccess } from '../../access/ending/ending.ts'
import { decideAboutUser } from '../../ground/acts/acts.ts'
import { countCall } from '../../ground/limits/calls.ts'
import { withinGuesses } from '../../ground/limits/guesses.ts'
import { requesterOf } from '../../ground/limits/requester.ts'
import { endHeldSession, successorOf } from '../sessions/ending.ts'
import { decideSignedIn, giveSession, newSession } from '../sessions/sessions.ts'
import { endSecondStepsOf } from '../sessions/statements.ts'
import { findAdministrator } from '../users/statements.ts'
import type { ChangePassword } from './input.ts'
import { rememberBrowser, signedInGuesser } from './known-browser.ts'
import { refuseTooLongPassword, refuseWeakPassword } from './password-rules.ts'
import { accountWithPassword, findPasswordHash } from './statements.ts'
import * as store from './store.ts'
import { wireKnownUser } from './wire.ts'

/** The session also gets a new token, so that a copied old one is useless. */
export async function changePassword(call: SignedInCall, input: ChangePassword) {
  const { platform, exchange, caller } = call
  const { id: userId, email } = caller.user
  await refuseWeakPassword(platform, email, input.newPassword)
  const checked = await checkedPasswordHash(call, input.currentPassword)
  await countCall(call, 'password-changes')
  const hash = await platform.passwords.hash(input.newPassword, requesterOf(call.sender, email))

  const { meta, now } = platform
  const session = await decideSignedIn(
    call,
    [accountWithPassword(meta, userId, checked)],
    async (act, user, [unchanged]) => {
      if (!unchanged) throw wrongCurrentPassword()
      act.write(store.setPassword(meta, userId, hash, now()))
      if (input.revokeOtherSessions) endAccess(act, platform, 'password changed everywhere', userId)
      else {
        endHeldSession(act, platform, userId, caller.credential.id, 'password_changed')
        act.write(...endSecondStepsOf(meta, userId))
      }
      act.record('user.change_password', { user })
      return newSession(act, call, userId, successorOf(platform, exchange))
    },
  )
  giveSession(platform, exchange, session)
  rememberBrowser(call, { id: userId, password_hash: hash })
  return { token: session.token, user: await wireKnownUser(platform, caller.user) }
}

/** Returns the stored hash if this is the signed-in user's password. */
export async function checkedPasswordHash(call: SignedInCall, password: string): Promise<string> {
  const { platform, caller } = call
  refuseTooLongPassword(password)
  const stored = await findPasswordHash(platform.meta, caller.user.id)
  const requester = requesterOf(call.sender, caller.user.email)
  const checked = await withinGuesses(platform, signedInGuesser(call), async () =>
    (await platform.passwords.verify(password, stored, requester)) ? stored : undefined,
  )
  if (checked === undefined) throw wrongCurrentPassword()
  return checked
}

export function wrongCurrentPassword(): Refusal {
  return new Refusal('INVALID_EMAIL_OR_PASSWORD', 'The current password is wrong.')
}

/** Too long to guess, short enough to type once. */
export function randomPassword(): string {
  return randomBytes(18).toString('base64url')
}

/** Sets a new password and ends every session opened with the old one. The operator runs it on the host. */
export async function resetAdministratorPassword(platform: Platform) {
  const administrator = await findAdministrator(platform.meta)
  if (!administrator) throw new Error('there is no administrator yet')
  const password = randomPassword()
  const hash = await platform.passwords.hash(password, OPERATOR)

  const { meta, now } = platform
  const { id, email } = administrator
  await decideAboutUser({ platform }, id, [], async (act, user) => {
    act.write(store.setPassword(meta, id, hash, now(), 'printed'))
    endAccess(act, platform, 'administrator reset on the host', id)
    act.record('administrator.reset_password', {
      user,
      subject: { type: 'user', id },
      details: { from: 'host' },
    })
  })
  return { email, password }
}
