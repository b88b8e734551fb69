import { type SqlBool, sql } from 'kysely'
import { integer } from '../../../database/sql/integer.ts'
import type { Meta } from '../../../database/store.ts'
import { applicationIds, keepApplications } from '../../clients/statements.ts'
import { lockUsers } from '../../users/statements.ts'
import { grantCreated, grantsRevoked } from '../events.ts'
import { insertTokens, type NewTokens } from '../store.ts'

interface CodePresented {
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
