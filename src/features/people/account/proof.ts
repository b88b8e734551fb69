import type { Compilable } from 'kysely'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { endAccess } from '../../access/ending/ending.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { findCaller } from '../callers/find-caller.ts'
import { forgetNetworks } from '../sessions/statements.ts'
import { setVerified, verified } from '../users/statements.ts'
import { type Effect, wrongCode } from './codes/codes.ts'
import { deleteUnprovenFactors } from './factor-statements.ts'
import { usersOf } from './known-browser.ts'
import * as passwordStore from './password-store.ts'
import { deleteUnprovenAccounts } from './providers/store.ts'
import { unclaimedUser } from './store.ts'

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
export function verification({ platform }: Call, ownedHere: ReadonlySet<string>): Effect<UserTable> {
  const { meta, now } = platform
  return async (act, user) => {
    if (user.email_proven_at === null && !ownedHere.has(user.id)) {
      act.write(
        ...endAccess(platform, 'address proven by another browser', user.id),
        forgetNetworks(meta, user.id),
        deleteUnprovenAccounts(meta, user),
        ...deleteUnprovenFactors(meta, user, now()),
      )
      act.record('user.claimed', { user })
    }
    act.record('user.verify_email', { by: user })
    return proven(platform, act, user)
  }
}

/**
 * A reset ends everything, including accounts linked before the first proof, which may not be the owner's. It
 * proves the same as a verification: that the user reads the mail.
 */
export function passwordReset({ platform }: Call, passwordHash: string): Effect<UserTable> {
  const { meta, now } = platform
  return async (act, user) => {
    act.write(
      ...endAccess(platform, 'password reset', user.id),
      deleteUnprovenAccounts(meta, user),
      ...deleteUnprovenFactors(meta, user, now()),
      passwordStore.setPassword(meta, user.id, passwordHash, now()),
    )
    act.record('user.reset_password', { by: user, user })
    return proven(platform, act, user)
  }
}

/**
 * Proves the address of a user who cannot sign in yet: its owner has read the letter. `credential` sets what the owner
 * chose, just before the user is marked as verified.
 */
export function invitationAccepted(
  { platform }: Call,
  credentialOf: (user: UserTable) => readonly Compilable<unknown>[],
): Effect<UserTable> {
  return async (act, user) => {
    if (!(await act.first(unclaimedUser(platform.meta, user.email)))) throw wrongCode()
    act.write(...endAccess(platform, 'password reset', user.id), ...credentialOf(user))
    act.record('user.accept_invitation', { by: user, user })
    return proven(platform, act, user)
  }
}

function proven({ meta, now }: Platform, act: Act, user: UserTable): UserTable {
  const after = verified(user, now())
  if (user.email_verified === 0) act.record('user.verified', { user })
  act.write(setVerified(meta, after))
  return after
}
