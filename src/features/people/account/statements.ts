import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'
import type { Factors } from '../../../rules/caller.ts'
import { insertEventOfEach } from '../../ground/events/statements.ts'
import { setFactors, userByEmail, userIds } from '../users/statements.ts'

export function accountsOf(meta: Meta, userId: string) {
  return meta
    .selectFrom('account')
    .select(['provider', 'issuer', 'provider_account_id', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
}

export async function hasInitialPassword(meta: Meta, userId: string): Promise<boolean> {
  const row = await meta.primary
    .selectFrom('account')
    .select('id')
    .where('user_id', '=', userId)
    .where('password_is_initial', '=', 1)
    .executeTakeFirst()
  return row !== undefined
}

export async function hasProviderAccount(meta: Meta, userId: string): Promise<boolean> {
  const row = await meta.primary
    .selectFrom('account')
    .select('id')
    .where('user_id', '=', userId)
    .where('provider', '<>', 'credential')
    .executeTakeFirst()
  return row !== undefined
}

export async function findPasswordHash(meta: Meta, userId: string): Promise<string | undefined> {
  const [row] = await meta.primary.run(passwordOf(meta, userId))
  return row?.password_hash ?? undefined
}

/** Returns no row if the user has no account for a password. In a decision, the user must be locked. */
export const passwordByEmail = statement((meta: Meta, email: string) =>
  passwordAccountAt(meta, email).select(['user.id', 'account.password_hash']),
)

/** Returns the whole user too. Takes no lock: the decision of a sign-in checks again what it relies on. */
export const userWithPasswordByEmail = statement((meta: Meta, email: string) =>
  passwordAccountAt(meta, email).selectAll('user').select(['account.password_hash', 'account.password_is_initial']),
)

function passwordAccountAt({ primary }: Meta, email: string) {
  return userByEmail(primary, email)
    .innerJoin('account', 'account.user_id', 'user.id')
    .where('account.provider', '=', 'credential')
}

/** Returns no row if the user has no password. */
const passwordOf = statement((meta: Meta, userId: string) =>
  accountOf(meta, userId).select('password_hash').where('password_hash', 'is not', null),
)

/** Includes the time at which the password was set. In a decision, the user must be locked. */
export const passwordAccountOf = statement((meta: Meta, userId: string) =>
  accountOf(meta, userId).select(['password_hash', 'password_is_initial', 'updated_at', 'breached_at']),
)

/** Columns for another query: the password, and the time at which it was set. */
export function passwordColumns(meta: Meta, userId: Expression<string>) {
  const account = accountOf(meta, userId)
  return [
    account.select('account.password_hash').as('password_hash'),
    account.select('account.updated_at').as('password_set_at'),
  ] as const
}

/** Returns a row if the password is still this one. The user must be locked. */
export const accountWithPassword = statement((meta: Meta, userId: string, hash: string) =>
  accountOf(meta, userId).select('id').where('password_hash', '=', hash),
)

function accountOf(meta: Meta, userId: string | Expression<string>) {
  return meta.primary.selectFrom('account').where('user_id', '=', userId).where('provider', '=', 'credential')
}

/**
 * Notes in the user's row which kinds of factor exist, since every request needs to know; without any, deletes the
 * backup codes. It must be the last write of a decision that adds or removes a factor and has locked the user.
 */
export function recountFactors(meta: Meta, userId: string) {
  const none = userIds(meta).where('user.id', '=', userId).where('user.factors', '=', '')
  return [
    setFactors(meta, userId, kindsOf(meta, userId)),
    meta.deleteFrom('backup_code').where('is_active', '=', 1).where('user_id', 'in', none),
  ] as const
}

/** The user must be locked; every change of factors locks the user first. */
function kindsOf(meta: Meta, userId: string) {
  const totp = meta.selectFrom('totp_factor').select('id').where('user_id', '=', userId).where('is_confirmed', '=', 1)
  const passkey = meta.selectFrom('passkey').select('id').where('user_id', '=', userId)
  return sql<Factors>`case
    when exists ${totp} and exists ${passkey} then 'totp passkey'
    when exists ${totp} then 'totp'
    when exists ${passkey} then 'passkey'
    else '' end`
}

/**
 * Deletes factors added before the address was proven, perhaps by somebody who does not own it; at the first proof
 * these are all. A later proof keeps the app: it lets nobody in by itself, and without it a reader of the mail would
 * need no second step. The user must be locked.
 */
export function deleteUnprovenFactors(
  meta: Meta,
  { id, email_proven_at: proven }: Pick<UserTable, 'id' | 'email_proven_at'>,
  now: number,
) {
  const passkeys = sql<SqlBool>`user_id = ${id} and created_at < ${proven ?? Number.MAX_SAFE_INTEGER}`
  const apps = sql<SqlBool>`user_id = ${id}`
  const removed = (factor: 'totp' | 'passkey') => sql<string>`${sql.lit(JSON.stringify({ factor }))}`.as('data')
  const passkeyFacts = meta
    .selectFrom('passkey')
    .where(passkeys)
    .select(['user_id', removed('passkey')])
  const appFacts = meta
    .selectFrom('totp_factor')
    .where(apps)
    .where('is_confirmed', '=', 1)
    .select(['user_id', removed('totp')])
  return [
    ...(proven === null
      ? [insertEventOfEach(meta, 'factor.removed', appFacts, now), meta.deleteFrom('totp_factor').where(apps)]
      : []),
    insertEventOfEach(meta, 'factor.removed', passkeyFacts, now),
    meta.deleteFrom('passkey').where(passkeys),
    ...recountFactors(meta, id),
  ] as const
}

/** Deletes every factor of the user, who must be locked. `recountFactors` must follow. */
export function deleteFactorsOf(meta: Meta, userId: string) {
  return [
    meta.deleteFrom('totp_factor').where('user_id', '=', userId),
    meta.deleteFrom('passkey').where('user_id', '=', userId),
    meta.deleteFrom('backup_code').where('user_id', '=', userId),
  ] as const
}

/** A passkey that is enough to sign in, because it verifies its user. In a decision, the user must be locked. */
export function passkeyAlone(db: Kysely<MetaTables>, userId: string | Expression<string>) {
  return db
    .selectFrom('passkey as other')
    .select('other.user_id')
    .where('other.user_id', '=', userId)
    .where('other.is_user_verified', '=', 1)
}
