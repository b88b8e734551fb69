import type { Call, SignedInCall } from '../../../http/route.ts'
import type { Caller } from '../../../rules/caller.ts'
import { newId } from '../../../rules/ids.ts'
import { invalidInput, Refusal, signedOutMeanwhile } from '../../../rules/refusal.ts'
import { endAccess } from '../../access/ending/ending.ts'
import { refuseFullQueue } from '../../delivery/mail/queue.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import { decideSignedIn, lockedSessionOf } from '../sessions/sessions.ts'
import * as changes from '../users/email-changes.ts'
import { updateUserRow, userByEmail } from '../users/statements.ts'
import { decideMailedCode, networkOrHere, withinNetwork, wrongMailedCode } from './codes/codes.ts'
import { countLetter, LETTERS_A_DAY, letterStatements } from './codes/sending.ts'
import { addressTaken, refuseIfAddressTaken } from './creation.ts'
import {
  codeRequestsFrom,
  refuseEmailAction,
  refuseForeignDomain,
  refuseSynthetic,
  withCooldown,
} from './email-rules.ts'
import type { ChangeEmail, VerifyEmail } from './input.ts'

export const CHANGES_A_WEEK = 10

/**
 * Mails a code to the new address, and the old one a link that takes the change back. For an address that is taken, the
 * caller sees the same, and its owner gets a letter.
 */
export async function requestEmailChange(call: SignedInCall, { newEmail: email }: ChangeEmail) {
  const { platform, sender, caller } = call
  const settings = await settingsOf(call)
  if (caller.user.role === 'administrator')
    throw disabled('Change your address on the host: gatehouse admin set-address.')
  if (email === caller.user.email) throw invalidInput('newEmail', 'This is your address already.')
  refuseForeignDomain(settings, email)
  refuseSynthetic(email)
  await refuseFullQueue(platform)
  await withCooldown(platform, settings, 'change_email', email, codeRequestsFrom(sender), () =>
    decideRequest(call, email),
  )
  return { status: true as const }
}

function decideRequest(call: SignedInCall, email: string): Promise<void> {
  const { platform, sender } = call
  const { meta } = platform
  const { id: userId } = call.caller.user
  const now = platform.now()
  const wanted = {
    purpose: 'email-change',
    email,
    languages: undefined,
    asker: networkOrHere(sender),
    look: undefined,
  } as const
  return decideSignedIn(
    call,
    [
      userByEmail(meta, email).select(['user.id', 'user.email']),
      changes.formerAddress(meta, email, now).where('user_id', '<>', userId),
      changes.emailChangesOf(meta, userId),
      countLetter(platform, wanted),
    ],
    async (act, user, [holder], [former], earlier, [count]) => {
      if (earlier.length >= CHANGES_A_WEEK) return act.refuse(tooOften())
      const id = newId()
      const row = { id, user_id: userId, former_email: user.email, email, requested_at: now, changed_at: null }
      act.write(changes.insertEmailChange(meta, row))
      const isWritten = count !== undefined && count.letters <= LETTERS_A_DAY
      if (holder && isWritten) act.record('address.wanted', { user: holder })
      if (!holder && !former && isWritten) act.write(...letterStatements(platform, wanted, count))
      act.record('user.ask_email_change', { user, subject: { type: 'user', id: userId }, changeId: id })
    },
  )
}

/** Undefined unless the caller has asked for this address. */
export async function completeEmailChange(call: Call, caller: Caller, { email, otp }: VerifyEmail) {
  const { platform } = call
  const { meta, now } = platform
  const userId = caller.user.id
  const asked = changes.emailChangeTo(meta, userId, email)
  if (!(await meta.primary.run(asked))[0]) return undefined
  const shown = { purpose: 'email-change', email, otp, userId } as const
  const first = [lockedSessionOf(meta, caller), asked, userByEmail(meta, email).select('user.id')] as const
  return withinNetwork(call, otp, () =>
    decideMailedCode(call, shown, first, async (act, { user, passwordHash }, [session], [change], [holder]) => {
      if (!session) throw signedOutMeanwhile()
      if (!change) throw wrongMailedCode()
      if (holder) throw addressTaken()
      const renamed = user.name === user.email && { name: email }
      // What was added since the first proof is the owner's, also a second factor: a reset of the password keeps it.
      const email_proven_at = user.email_proven_at ?? now()
      const changed = { email, ...renamed, email_verified: 1, email_proven_at, updated_at: now() } as const
      act.write(updateUserRow(meta, userId, changed), changes.setChanged(meta, change.id, now()))
      const of = changes.formerAddress(meta, email, now()).where('user_id', '<>', userId)
      if (await act.first(of)) throw addressTaken()
      endAccess(act, platform, 'address changed', userId, caller.credential.id)
      const data = { email, ...renamed }
      act.record('user.change_email', { user, subject: { type: 'user', id: userId }, details: {}, data })
      return { user: { ...user, ...changed }, hasPassword: passwordHash !== null, hasPasskey: false }
    }).catch(refuseIfAddressTaken),
  )
}

/** Whatever was sent. */
export async function refuseEmailChange(call: Call): Promise<void> {
  if ((await settingsOf(call)).authentication.email_changes === 'off') throw disabled()
  await refuseEmailAction(call)
}

function disabled(words = 'The email address of an account cannot be changed.'): Refusal {
  return new Refusal('EMAIL_CHANGE_DISABLED', words)
}

function tooOften(): Refusal {
  const words = 'You have asked for another address too often. Try again in a week.'
  return new Refusal('EMAIL_ACTION_RATE_LIMITED', words, { retryAfterSeconds: changes.CHANGE_KEPT_MILLISECONDS / 1000 })
}
