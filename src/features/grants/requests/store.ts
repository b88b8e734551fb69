import { type Compilable, type Expression, type SqlBool, sql } from 'kysely'
import { integer } from '../../../database/integer.ts'
import { skipLockedRows } from '../../../database/row-lock.ts'
import type { AuthorizationRequestTable, ConsentTable } from '../../../database/schema/grants.ts'
import { ConstraintViolation, type Meta } from '../../../database/store.ts'
import { applicationIds, keepApplications } from '../../clients/statements.ts'
import { lockUser, lockUsers } from '../../users/statements.ts'
import { grantCreated, grantsRevoked } from '../events.ts'
import { insertTokens, type NewTokens } from '../store.ts'

/**
 * False if the user code is taken, or the user has been deleted: the foreign key waits for a deletion under way.
 */
export async function insertRequest(meta: Meta, row: AuthorizationRequestTable): Promise<boolean> {
  try {
    const made = await meta
      .insertInto('authorization_request')
      .values(row)
      .onConflict((conflict) => conflict.column('user_code').doNothing())
      .returning('id')
      .execute()
    return made.length === 1
  } catch (error) {
    if (error instanceof ConstraintViolation && error.kind === 'foreign-key') return false
    throw error
  }
}

export function pendingByUserCode(meta: Meta, userCode: string, now: number) {
  return meta.primary
    .selectFrom('authorization_request')
    .select('id')
    .where('user_code', '=', userCode)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Begun by this user, or by a device for the user who enters its code. */
export function pendingFor(meta: Meta, id: string, userId: string, now: number) {
  return meta.primary
    .selectFrom('authorization_request')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', '=', userId)]))
    .executeTakeFirst()
}

export interface Outcome {
  readonly state: 'approved' | 'denied'
  readonly user_id: string
  readonly auth_time: number | null
  readonly session_id: string | null
  /** With an approved code flow; then the end is the code's. */
  readonly code_hash?: string
  readonly expires_at?: number
}

/** False if it was decided before, is too late, or the session of who decides has ended. */
export async function decide(
  meta: Meta,
  id: string,
  outcome: Outcome,
  { now, onlyIf }: { readonly now: number; readonly onlyIf: Expression<unknown> },
  behind: readonly Compilable<unknown>[] = [],
): Promise<boolean> {
  const [, decided] = await meta.batch([
    lockUser(meta, outcome.user_id),
    meta
      .updateTable('authorization_request')
      .set(outcome)
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .where('expires_at', '>', now)
      .where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', '=', outcome.user_id)]))
      .where(({ exists }) => exists(onlyIf))
      .returning('id'),
    ...behind,
  ])
  return decided.length === 1
}

export async function consentOf(meta: Meta, userId: string, clientId: string): Promise<readonly string[]> {
  const row = await meta.primary
    .selectFrom('consent')
    .select('scopes')
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return row ? row.scopes.split(' ') : []
}

/** Only if the request has been approved, which the batch has just done. */
export function rememberConsent(meta: Meta, row: ConsentTable, requestId: string) {
  const { scopes, created_at } = row
  return meta
    .insertInto('consent')
    .columns(['user_id', 'client_id', 'scopes', 'created_at'])
    .expression(
      meta
        .selectFrom('authorization_request')
        .select([
          sql<string>`user_id`.as('user_id'),
          'client_id',
          sql.val(scopes).as('scopes'),
          integer(created_at).as('created_at'),
        ])
        .where('id', '=', requestId)
        .where('state', '=', 'approved')
        .where('user_id', '=', row.user_id),
    )
    .onConflict((conflict) => conflict.columns(['user_id', 'client_id']).doUpdateSet({ scopes, created_at }))
}

export interface CodePresented {
  readonly clientId: string
  readonly codeHash: string
  readonly redirectUri: string
  readonly codeChallenge: string
}

/**
 * Of any number of presentations one changes the state and gets a grant; any later one revokes it.
 */
export async function redeemCode(meta: Meta, presented: CodePresented, tokens: NewTokens) {
  const { codeHash, redirectUri, codeChallenge, clientId } = presented
  const usedTwice = meta
    .selectFrom('authorization_request')
    .select(sql<string>`grant_id`.as('grant_id'))
    .where('code_hash', '=', codeHash)
    .where('client_id', '=', clientId)
    .where('state', '=', 'redeemed')
    .where('grant_id', '<>', tokens.grantId)
  const [, , , , revoked, , , , , grants] = await meta.batch([
    keepApplications(meta).where('application.id', '=', clientId),
    lockUsers(meta).where('id', 'in', userOfRequest(meta).where('code_hash', '=', codeHash)),
    redeem(meta, tokens)
      .where('code_hash', '=', codeHash)
      .where('client_id', '=', clientId)
      .where('redirect_uri', '=', redirectUri)
      .where('code_challenge', '=', codeChallenge),
    grantsRevoked(meta, sql<SqlBool>`api_grant.id in ${usedTwice}`, tokens.now),
    meta
      .updateTable('api_grant')
      .set({ revoked_at: tokens.now })
      .where('revoked_at', 'is', null)
      .where('id', 'in', usedTwice)
      .returning(['id', 'user_id']),
    ...insertGrant(meta, tokens),
    madeGrant(meta, tokens),
  ])
  return { grant: grants[0], revoked: revoked[0] }
}

interface DeviceCodePresented {
  readonly deviceCodeHash: string
  readonly clientId: string
}

/** One poll of a device: counts it, and hands out a grant once if it was approved. */
export async function redeemDeviceCode(
  meta: Meta,
  { deviceCodeHash, clientId }: DeviceCodePresented,
  tokens: NewTokens,
) {
  const { now } = tokens
  const pending = meta
    .updateTable('authorization_request')
    .where('device_code_hash', '=', deviceCodeHash)
    .where('client_id', '=', clientId)
    .where('state', '=', 'pending')
  const [, , tooFast, , , , , , , grants, requests] = await meta.batch([
    keepApplications(meta).where('application.id', '=', clientId),
    lockUsers(meta).where('id', 'in', userOfRequest(meta).where('device_code_hash', '=', deviceCodeHash)),
    pending
      .set({ interval_seconds: sql`interval_seconds + 5` })
      .where(sql<boolean>`last_polled_at + interval_seconds * 1000 > ${now}`)
      .returning('id'),
    pending.set({ last_polled_at: now }),
    redeem(meta, tokens).where('device_code_hash', '=', deviceCodeHash).where('client_id', '=', clientId),
    ...insertGrant(meta, tokens),
    madeGrant(meta, tokens),
    meta
      .selectFrom('authorization_request')
      .select(['state', 'expires_at'])
      .where('device_code_hash', '=', deviceCodeHash)
      .where('client_id', '=', clientId),
  ])
  return { grant: grants[0], request: requests[0], isTooFast: tooFast.length > 0 }
}

/** Undecided requests of devices have none. */
function userOfRequest(meta: Meta) {
  return meta.selectFrom('authorization_request').select('user_id')
}

/** An application that is deleted meanwhile gets nothing. */
function ofLivingClient(meta: Meta) {
  return applicationIds(meta).where('application.id', '=', sql<string>`authorization_request.client_id`)
}

/** The user's row is locked, so the end of their access came before, and changed the state, or comes after. */
function redeem(meta: Meta, { grantId, now }: NewTokens) {
  return meta
    .updateTable('authorization_request')
    .set({ state: 'redeemed', grant_id: grantId })
    .where('state', '=', 'approved')
    .where('expires_at', '>', now)
    .where((eb) => eb.or([eb('kind', '=', 'tool'), eb.exists(ofLivingClient(meta))]))
}

/** Reads the request that this batch has just redeemed, and so has locked. */
function insertGrant(meta: Meta, tokens: NewTokens) {
  return [
    meta
      .insertInto('api_grant')
      .columns([
        'id',
        'user_id',
        'client_id',
        'client_name',
        'target_origin',
        'kind',
        'scopes',
        'is_offline',
        'auth_time',
        'session_id',
        'created_at',
        'expires_at',
      ])
      .expression(
        meta
          .selectFrom('authorization_request')
          .select([
            sql<string>`grant_id`.as('id'),
            sql<string>`user_id`.as('user_id'),
            'client_id',
            'client_name',
            'target_origin',
            'kind',
            'scopes',
            'is_offline',
            'auth_time',
            'session_id',
            integer(tokens.now).as('created_at'),
            sql<number>`case when is_offline = 1 then ${integer(tokens.refreshExpiresAt)}
              else ${integer(tokens.accessExpiresAt)} end`.as('expires_at'),
          ])
          .where('grant_id', '=', tokens.grantId),
      ),
    grantCreated(meta, tokens.grantId, tokens.now),
    ...insertTokens(meta, tokens),
  ] as const
}

function madeGrant(meta: Meta, { grantId }: NewTokens) {
  return meta
    .selectFrom('api_grant')
    .select(['id', 'user_id', 'kind', 'scopes', 'is_offline'])
    .where('id', '=', grantId)
}

/** A device that still polls is told that its code is not known. */
export async function deleteDeviceRequestsBefore(meta: Meta, before: number): Promise<void> {
  const old = meta
    .selectFrom('authorization_request')
    .select('id')
    .where('flow', '=', 'device')
    .where('expires_at', '<=', before)
  await meta
    .deleteFrom('authorization_request')
    .where('id', 'in', old.$call(skipLockedRows(meta)))
    .execute()
}

export async function deleteRequestsBefore(meta: Meta, before: number): Promise<void> {
  const old = meta.selectFrom('authorization_request').select('id').where('expires_at', '<=', before)
  await meta
    .deleteFrom('authorization_request')
    .where('id', 'in', old.$call(skipLockedRows(meta)))
    .execute()
}
