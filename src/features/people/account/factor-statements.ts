import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'
import type { Factors } from '../../../rules/caller.ts'
import { insertEventOfEach } from '../../ground/events/statements.ts'
import { setFactors, userIds } from '../users/statements.ts'

/** A user's; for a decision that has locked the user they are all. */
export function passkeysOf(meta: Meta, userId: string) {
  return meta.primary
    .selectFrom('passkey')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
}

/**
 * Ends each batch that adds or removes a factor and has locked the user's row. Notes in that row which kinds exist,
 * since every request needs it. Without any factor, backup codes are deleted.
 */
export function recountFactors(meta: Meta, userId: string) {
  const none = userIds(meta).where('user.id', '=', userId).where('user.factors', '=', '')
  return [
    setFactors(meta, userId, kindsOf(meta, userId)),
    meta.deleteFrom('backup_code').where('is_active', '=', 1).where('user_id', 'in', none),
  ] as const
}

/** The user's row is locked, which every change of factors locks first. */
function kindsOf(meta: Meta, userId: string) {
  const totp = meta.selectFrom('totp_factor').select('id').where('user_id', '=', userId).where('is_confirmed', '=', 1)
  const passkey = meta.selectFrom('passkey').select('id').where('user_id', '=', userId)
  return sql<Factors>`case
    when exists ${totp} and exists ${passkey} then 'totp passkey'
    when exists ${totp} then 'totp'
    when exists ${passkey} then 'passkey'
    else '' end`
}

/** Every factor of this user, whose row is locked; recount afterwards. */
export function deleteFactorsOf(meta: Meta, userId: string) {
  return [
    meta.deleteFrom('totp_factor').where('user_id', '=', userId),
    meta.deleteFrom('passkey').where('user_id', '=', userId),
    meta.deleteFrom('backup_code').where('user_id', '=', userId),
  ] as const
}

/**
 * Deletes factors added before the address was proven, perhaps by somebody who does not own it; at the first proof
 * these are all. An app that was kept then stays: it lets nobody in by itself, and without it a reader of the mail
 * would need no second step. The user's row is locked.
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

/** For a decision that has locked the user: a passkey that is enough to sign in, because it verifies its user. */
export function passkeyAlone(db: Kysely<MetaTables>, userId: string | Expression<string>) {
  return db
    .selectFrom('passkey as other')
    .select('other.user_id')
    .where('other.user_id', '=', userId)
    .where('other.is_user_verified', '=', 1)
}
