import type { Compilable } from 'kysely'
import type { Decision } from '../../../../database/decision.ts'
import type { UserTable } from '../../../../database/schema/people/users.ts'
import type { Call } from '../../../../http/route.ts'
import { endAccess } from '../../../access/ending/ending.ts'
import { noticeToOwner } from '../../../delivery/mail/notices.ts'
import { type Act, auditEntry } from '../../../ground/audit/audit.ts'
import { eventRow, insertEvent } from '../../../ground/events/statements.ts'
import { findCaller } from '../../callers/find-caller.ts'
import { deleteUnprovenFactors } from '../../factors/statements.ts'
import { forgetNetworks } from '../../sessions/statements.ts'
import { setVerified, verified } from '../../users/statements.ts'
import { usersOf } from '../passwords/known-browser.ts'
import * as passwordStore from '../passwords/store.ts'
import { deleteUnprovenAccounts } from '../providers/store.ts'
import { unclaimedUser } from '../store.ts'
import { type Effect, wrongCode } from './codes.ts'

/**
 * The users whose owner this browser is: it signed up as them, or showed a credential or a session of theirs. Which
 * credential does not matter: until the first proof, only one that was there could set the next.
 */
export async function usersOwnedHere(call: Call): Promise<ReadonlySet<string>> {
  const caller = await findCaller(call.platform, call.exchange)
  return new Set([...usersOf(call), ...(caller?.credential.kind === 'session' ? [caller.user.id] : [])])
}

/**
 * A first proof in a browser that is not the owner's ends everything that existed before, the password included. It
 * sets none: the next one is sent with a reset.
 */
export async function verification(
  call: Call,
  email: string,
  ownedHere: ReadonlySet<string>,
): Promise<Effect<UserTable>> {
  const { platform } = call
  const { meta, now } = platform
  const letter = noticeToOwner(call, { email }, 'verified in another browser')
  return async (decision, user) => {
    if (user.email_proven_at === null && !ownedHere.has(user.id)) {
      decision.write(
        ...letter,
        ...endAccess(platform, 'address proven by another browser', user.id),
        forgetNetworks(meta, user.id),
        deleteUnprovenAccounts(meta, user),
        ...deleteUnprovenFactors(meta, user, now()),
      )
    }
    return verify(decision, call, user, { action: 'user.verify_email' })
  }
}

/**
 * A reset ends everything, including accounts linked before the first proof, which may not be the owner's. It
 * proves the same as a verification: that the user reads the mail.
 */
export async function passwordReset(
  call: Call,
  email: string,
  passwordHash: string,
): Promise<Effect<UserTable>> {
  const { platform } = call
  const { meta, now } = platform
  const letter = noticeToOwner(call, { email }, 'password reset')
  return async (decision, user) => {
    decision.write(
      ...endAccess(platform, 'password reset', user.id),
      deleteUnprovenAccounts(meta, user),
      ...deleteUnprovenFactors(meta, user, now()),
      ...letter,
      passwordStore.setPassword(meta, user.id, passwordHash, now()),
    )
    return verify(decision, call, user, { action: 'user.reset_password' })
  }
}

/**
 * For a user who cannot sign in yet. The address counts as verified, since its owner has read the letter.
 * `credential` sets what the owner chose; it runs just before the user is marked as verified.
 */
export async function invitationAccepted(
  call: Call,
  email: string,
  credentialOf: (user: UserTable) => readonly Compilable<unknown>[],
): Promise<Effect<UserTable>> {
  const { platform } = call
  const letter = noticeToOwner(call, { email }, 'invitation accepted')
  return async (decision, user) => {
    if (!(await decision.first(unclaimedUser(platform.meta, email)))) throw wrongCode()
    decision.write(...endAccess(platform, 'password reset', user.id), ...credentialOf(user), ...letter)
    return verify(decision, call, user, { action: 'user.accept_invitation' })
  }
}

function verify(decision: Decision, { platform, sender }: Call, user: UserTable, act: Act) {
  const { meta, now } = platform
  const event = insertEvent(meta, eventRow({ type: 'user.verified', user_id: user.id, data: {} }, now()))
  const after = verified(user, now())
  decision.write(
    ...(user.email_verified === 0 ? [event] : []),
    auditEntry(platform, { id: user.id, address: sender.address }, act),
    setVerified(meta, after),
  )
  return after
}
