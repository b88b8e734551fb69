import type { Compilable } from 'kysely'
import type { Decision } from '../../../../database/decision.ts'
import type { UserTable } from '../../../../database/schema/people/users.ts'
import type { Call } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import type { Caller } from '../../../../rules/caller.ts'
import { endAccess } from '../../../access/ending/ending.ts'
import { noticeToOwner } from '../../../delivery/mail/notices.ts'
import { type Act, auditEntry } from '../../../ground/audit/audit.ts'
import { eventRow, insertEvent } from '../../../ground/events/statements.ts'
import { findCaller } from '../../callers/find-caller.ts'
import { deleteUnprovenFactors, passkeyWith } from '../../factors/statements.ts'
import { heldSessionOf } from '../../sessions/sessions.ts'
import { setVerified, verified } from '../../users/statements.ts'
import { credentialSetHere } from '../passwords/setter-cookie.ts'
import { accountWithPassword } from '../passwords/statements.ts'
import * as passwordStore from '../passwords/store.ts'
import { deleteUnprovenAccounts } from '../providers/store.ts'
import { unclaimedUser } from '../store.ts'
import { type Effect, wrongCode } from './codes.ts'

/** What shows that this browser set the account's password. */
interface Browser {
  readonly caller: Caller | undefined
  /** From the sign-up for this address in this browser, whether or not it created the account. */
  readonly passwordHash: string | undefined
  /** The credential id, if the sign-up was with a passkey. */
  readonly passkey: string | undefined
}

export async function browserOf(call: Call, email: string): Promise<Browser> {
  const { passwordHash, passkey } = credentialSetHere(call, email)
  return { caller: await findCaller(call.platform, call.exchange), passwordHash, passkey }
}

/**
 * A first proof in a browser that did not set the account's password ends everything that existed before. The
 * password becomes the one from this browser's own sign-up; without one the account has none until a reset.
 */
export async function verification(call: Call, email: string, browser: Browser): Promise<Effect<UserTable>> {
  const { platform } = call
  const { meta, now } = platform
  const { passwordHash } = browser
  const letter = noticeToOwner(call, { email }, 'verified in another browser')
  return async (decision, user) => {
    if (user.email_proven_at === null && !(await isOwners(decision, platform, browser, user))) {
      decision.write(
        ...letter,
        ...endAccess(platform, 'address proven by another browser', user.id),
        deleteUnprovenAccounts(meta, user),
        ...deleteUnprovenFactors(meta, user, now()),
      )
      if (passwordHash !== undefined)
        decision.write(passwordStore.setPassword(meta, user.id, passwordHash, now()))
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

/** This browser set the account's password or passkey, or is signed in. */
async function isOwners(
  decision: Decision,
  { meta }: Platform,
  browser: Browser,
  { id, email }: UserTable,
): Promise<boolean> {
  const { passwordHash, passkey } = browser
  const owner = signedInAs(browser, email)
  const signs = await decision.read([
    passwordHash === undefined ? undefined : accountWithPassword(meta, id, passwordHash),
    passkey === undefined ? undefined : passkeyWith(meta, id, passkey),
    owner && heldSessionOf(meta, owner),
  ])
  return signs.some((rows) => rows.length > 0)
}

/** The caller with this address, if a browser's session shows it. */
function signedInAs({ caller }: Browser, email: string): Caller | undefined {
  return caller?.credential.kind === 'session' && caller.user.email === email ? caller : undefined
}
