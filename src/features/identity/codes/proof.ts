import { type Compilable, type Expression, sql } from 'kysely'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Meta } from '../../../database/store.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Caller } from '../../../rules/caller.ts'
import { endAccess } from '../../access/ending.ts'
import { type Act, auditEntryBy } from '../../audit/audit.ts'
import { findCaller } from '../../callers/find-caller.ts'
import { insertEventOfEach } from '../../events/statements.ts'
import { deleteUnprovenFactors, passkeyOfUserWith } from '../../factors/statements.ts'
import type { Change } from '../../mail/notices/changes.ts'
import { noticeToOwnerIf } from '../../mail/notices/notices.ts'
import { holdSession, stillSignedIn } from '../../sessions/sessions.ts'
import { setVerified, type Users, userByEmail, userIds } from '../../users/statements.ts'
import { credentialSetHere } from '../passwords/setter-cookie.ts'
import * as passwordStore from '../passwords/store.ts'
import { deleteUnprovenAccounts } from '../providers/store.ts'
import type { Effects } from './codes.ts'

/** What shows that this browser set the account's password. */
interface Browser {
  readonly caller: Caller | undefined
  /** From the sign-up for this address in this browser, whether or not it created the account. */
  readonly passwordHash: string | undefined
  /** The credential id, if the sign-up was with a passkey. */
  readonly passkey: string | undefined
}

export async function browserOf({ platform, exchange }: Call, email: string): Promise<Browser> {
  const { passwordHash, passkey } = credentialSetHere(platform, exchange, email)
  return { caller: await findCaller(platform, exchange), passwordHash, passkey }
}

/**
 * A first proof in a browser that did not set the account's password ends everything that existed before. The
 * password becomes the one from this browser's own sign-up; without one the account has none until a reset.
 */
export async function verification(
  call: Call,
  email: string,
  browser: Browser,
  isRight: Expression<unknown>,
): Promise<Effects<UserTable>> {
  const { platform } = call
  const { meta, now } = platform
  const others = provenByAnother(platform, email, browser, isRight)
  const { passwordHash } = browser
  const owner = signedInAs(browser, email)
  return {
    before: [
      // Each statement asks again who proved it, and a sign-out in between would change the answer.
      ...(owner ? [holdSession(meta, owner)] : []),
      ...(await noticeToOwnerIf(call, { email }, 'verified in another browser', others)),
      ...endAccess(platform, 'address proven by another browser', others).statements,
      deleteUnprovenAccounts(meta, others),
      ...deleteUnprovenFactors(meta, others, now()),
      passwordHash === undefined
        ? passwordStore.deletePasswordOf(meta, others)
        : passwordStore.setPassword(meta, email, others, passwordHash, now()),
      verifiedEvent(platform, email, isRight),
      entryAbout(call, email, isRight, { action: 'user.verify_email' }),
    ],
    result: setVerified(meta, email, isRight, now()),
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
  isRight: Expression<unknown>,
): Promise<Effects<{ readonly user_id: string }>> {
  const { platform } = call
  const { meta, now } = platform
  const user = userWithCode(meta, email, isRight)
  return {
    before: [
      ...endAccess(platform, 'password reset', user).statements,
      deleteUnprovenAccounts(meta, user),
      ...deleteUnprovenFactors(meta, user, now()),
      verifiedEvent(platform, email, isRight),
      setVerified(meta, email, isRight, now()),
      ...(await letterAbout(call, email, 'password reset', isRight)),
      entryAbout(call, email, isRight, { action: 'user.reset_password' }),
    ],
    result: passwordStore.setPassword(meta, email, isRight, passwordHash, now()),
  }
}

/**
 * For a user who cannot sign in yet. The address counts as verified, since its owner has read the letter.
 * `credential` sets what the owner chose; it runs just before the user is marked as verified.
 */
export async function invitationAccepted(
  call: Call,
  email: string,
  credential: readonly Compilable<unknown>[],
  isRight: Expression<unknown>,
): Promise<Effects<UserTable>> {
  const { platform } = call
  const { meta, now } = platform
  const user = userWithCode(meta, email, isRight)
  return {
    before: [
      ...endAccess(platform, 'password reset', user).statements,
      ...credential,
      verifiedEvent(platform, email, isRight),
      ...(await letterAbout(call, email, 'invitation accepted', isRight)),
      entryAbout(call, email, isRight, { action: 'user.accept_invitation' }),
    ],
    result: setVerified(meta, email, isRight, now()),
  }
}

/** The same work whether or not a user has the address: a wrong code must not reveal it. */
function letterAbout(call: Call, email: string, change: Change, isRight: Expression<unknown>) {
  return noticeToOwnerIf(call, { email }, change, userWithCode(call.platform.meta, email, isRight))
}

function entryAbout({ platform, client }: Call, email: string, isRight: Expression<unknown>, act: Act) {
  return auditEntryBy(platform, userWithCode(platform.meta, email, isRight), client, act)
}

/** Before the user is marked as verified; no event for a user who already was. */
function verifiedEvent({ meta, now }: Platform, email: string, isRight: Expression<unknown>) {
  const facts = userByEmail(meta, email)
    .select(['user.id as user_id', sql<string>`'{}'`.as('data')])
    .where('user.email_verified', '=', 0)
    .where(({ exists }) => exists(isRight))
  return insertEventOfEach(meta, 'user.verified', facts, now())
}

/** The user with this address, if it has not been proven yet and this browser did not set the password. */
function provenByAnother(
  { meta }: Platform,
  email: string,
  browser: Browser,
  isRight: Expression<unknown>,
): Users {
  const { passwordHash, passkey } = browser
  const owner = signedInAs(browser, email)
  const marks = [
    ...(passwordHash === undefined ? [] : [passwordStore.accountOfUserWith(meta, passwordHash)]),
    ...(passkey === undefined ? [] : [passkeyOfUserWith(meta, passkey)]),
    ...(owner ? [stillSignedIn(meta, owner)] : []),
  ]
  return userWithCode(meta, email, isRight)
    .where('user.email_proven_at', 'is', null)
    .where((eb) => eb.and(marks.map((mark) => eb.not(eb.exists(mark)))))
}

/** The caller with this address, if a browser's session shows it. */
function signedInAs({ caller }: Browser, email: string): Caller | undefined {
  return caller?.credential.kind === 'session' && caller.user.email === email ? caller : undefined
}

/** The user with this address, if the code was right. */
function userWithCode(meta: Meta, email: string, isRight: Expression<unknown>) {
  return userIds(meta)
    .where('user.email', '=', email)
    .where(({ exists }) => exists(isRight))
}
