import { type Kysely, sql } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'
import type { Factors } from '../../../rules/caller.ts'
import { insertEventOfEach } from '../../ground/events/statements.ts'
import { setFactors, type Users, userIds } from '../users/statements.ts'

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
 * For the end of each batch that adds or removes a factor and has locked the users' rows. Notes in the user's
 * row which kinds exist, since every request needs it. Without any factor, backup codes are deleted.
 */
export function recountFactors(meta: Meta, users: Users) {
  const none = users.where('user.factors', '=', '')
  return [
    setFactors(meta, users, kindsOfUser(meta)),
    meta.deleteFrom('backup_code').where('is_active', '=', 1).where('backup_code.user_id', 'in', none),
  ] as const
}

/** Inside a query of users, whose rows are locked. */
function kindsOfUser(db: Kysely<MetaTables>) {
  const ofUser = sql.ref<string>('user.id')
  const totp = db
    .selectFrom('totp_factor')
    .select('totp_factor.id')
    .where('totp_factor.user_id', '=', ofUser)
    .where('is_confirmed', '=', 1)
  const passkey = db.selectFrom('passkey').select('passkey.id').where('passkey.user_id', '=', ofUser)
  return sql<Factors>`case
    when exists ${totp} and exists ${passkey} then 'totp passkey'
    when exists ${totp} then 'totp'
    when exists ${passkey} then 'passkey'
    else '' end`
}

/** Every factor of these users, whose rows are locked; recount afterwards. */
export function deleteFactorsOf(meta: Meta, users: Users) {
  return [
    meta.deleteFrom('totp_factor').where('totp_factor.user_id', 'in', users),
    meta.deleteFrom('passkey').where('passkey.user_id', 'in', users),
    meta.deleteFrom('backup_code').where('backup_code.user_id', 'in', users),
  ] as const
}

/**
 * Deletes factors added before the address was proven, perhaps by somebody who does not own it. At the first
 * proof the address is not proven yet, so all of them are deleted. An app that was kept then stays: it lets nobody in
 * by itself, and without it a reader of the mail would need no second step. The users' rows are locked.
 */
export function deleteUnprovenFactors(meta: Meta, users: Users, now: number) {
  // The list of users comes first: with these conditions alone, SQLite would check everybody's factors.
  const provenAtAll = userIds(meta)
    .where('user.id', '=', sql.ref<string>('totp_factor.user_id'))
    .where('user.email_proven_at', 'is not', null)
  const provenBefore = userIds(meta)
    .where('user.id', '=', sql.ref<string>('passkey.user_id'))
    .where('user.email_proven_at', '<=', sql.ref<number>('passkey.created_at'))
  const totp = meta
    .selectFrom('totp_factor')
    .where('totp_factor.user_id', 'in', users)
    .where(({ not, exists }) => not(exists(provenAtAll)))
  const passkeys = meta
    .selectFrom('passkey')
    .where('passkey.user_id', 'in', users)
    .where(({ not, exists }) => not(exists(provenBefore)))
  const factsOf = (factor: 'totp' | 'passkey') => [
    'user_id' as const,
    sql<string>`${sql.lit(JSON.stringify({ factor }))}`.as('data'),
  ]
  return [
    insertEventOfEach(
      meta,
      'factor.removed',
      totp.where('is_confirmed', '=', 1).select(factsOf('totp')),
      now,
    ),
    insertEventOfEach(meta, 'factor.removed', passkeys.select(factsOf('passkey')), now),
    meta.deleteFrom('totp_factor').where('totp_factor.id', 'in', totp.select('totp_factor.id')),
    meta.deleteFrom('passkey').where('passkey.id', 'in', passkeys.select('passkey.id')),
    ...recountFactors(meta, users),
  ] as const
}

/** For a decision that has locked the user. */
export function passkeyWith(db: Kysely<MetaTables>, userId: string, credentialId: string) {
  return db
    .selectFrom('passkey')
    .select('passkey.id')
    .where('passkey.user_id', '=', userId)
    .where('credential_id', '=', credentialId)
}

/** For a decision that has locked the user: a passkey that is enough to sign in, since it checks who its user is. */
export function passkeyAlone(db: Kysely<MetaTables>, userId: string) {
  return db
    .selectFrom('passkey as other')
    .select('other.user_id')
    .where('other.user_id', '=', userId)
    .where('other.is_user_verified', '=', 1)
}
