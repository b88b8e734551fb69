import { requireFresh } from '../../../http/freshness.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { invalidInput, Refusal } from '../../../rules/refusal.ts'
import { endAccess } from '../../access/ending/ending.ts'
import { decideAboutUser } from '../../ground/acts/acts.ts'
import { actorOf } from '../../ground/audit/audit.ts'
import { countCall } from '../../ground/limits/calls.ts'
import { requesterOf } from '../../ground/limits/networks.ts'
import { isPicture } from '../../ground/provider-presets/presets.ts'
import { ERASURE_JOB } from '../../tenancy/moves/erasure.ts'
import { clearSessionCookie } from '../sessions/cookie.ts'
import { decideSignedIn, endHeldSession, giveSession, newSession, successorOf } from '../sessions/sessions.ts'
import { endSecondStepsOf } from '../sessions/statements.ts'
import * as users from '../users/statements.ts'
import { erasureOf, forgetHistoryOf, refuseAdministrator } from './deletion.ts'
import type { ChangePassword, DeleteUser, UpdateUser } from './input.ts'
import { rememberBrowser } from './known-browser.ts'
import { checkedPasswordHash, wrongCurrentPassword } from './password-proof.ts'
import { refuseWeakPassword } from './password-rules.ts'
import { accountWithPassword, findPasswordHash } from './password-statements.ts'
import * as passwordStore from './password-store.ts'
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
  const session = newSession(platform, exchange, userId, successorOf(platform, exchange))
  await decideSignedIn(call, [accountWithPassword(meta, userId, checked)], async (act, user, [unchanged]) => {
    if (!unchanged) throw wrongCurrentPassword()
    act.write(
      passwordStore.setPassword(meta, userId, hash, now()),
      ...(input.revokeOtherSessions
        ? endAccess(platform, 'password changed everywhere', userId)
        : [
            ...endHeldSession(platform, userId, caller.credential.id, 'password_changed'),
            ...endSecondStepsOf(meta, userId),
          ]),
      ...session.statements,
    )
    act.record('user.change_password', { user })
  })
  giveSession(platform, exchange, session)
  rememberBrowser(call, { id: userId, password_hash: hash })
  return { token: session.token, user: await wireKnownUser(platform, caller.user) }
}

export async function updateUser(call: SignedInCall, { name, image }: UpdateUser) {
  const { platform, caller } = call
  if (image && !isPicture(platform.config, image))
    throw invalidInput('image', 'Only a picture of a sign-in provider can be used.')
  const changes = { ...(name !== undefined && { name }), ...(image !== undefined && { image }) }
  const { meta, now } = platform
  const { id } = caller.user
  await decideAboutUser(call, id, [], async (act, user) => {
    act.write(users.updateUserRow(meta, id, { ...changes, updated_at: now() }))
    act.record('user.updated', { user, subject: { type: 'user', id }, data: changes })
  })
  return { status: true as const }
}

/** A user with a password must give it here; that proves as much as a fresh session. */
export async function deleteUser(call: SignedInCall, { password }: DeleteUser) {
  const { platform, caller, exchange } = call
  refuseAdministrator(caller.user)
  const { meta } = platform
  const { id } = caller.user
  const stored = await findPasswordHash(meta, id)
  if (stored === undefined) requireFresh(call)
  const checked = stored === undefined ? undefined : await checkedPasswordHash(call, password ?? '')
  const proof = checked === undefined ? undefined : accountWithPassword(meta, id, checked)
  await forgetHistoryOf(platform, id)
  await decideSignedIn(call, [proof], async (act, user, [unchanged]) => {
    if (checked !== undefined && !unchanged) throw wrongCurrentPassword()
    act.write(...erasureOf(platform, user, actorOf(call)))
  })
  platform.background.wake(ERASURE_JOB)
  clearSessionCookie(exchange, platform.config)
  return { success: true as const }
}

export function refuseEmailChange(): never {
  throw new Refusal('EMAIL_CHANGE_DISABLED', 'The email address of an account cannot be changed.')
}
