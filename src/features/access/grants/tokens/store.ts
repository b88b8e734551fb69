import { type Kysely, sql } from 'kysely'
import { prepared, preparedAll } from '../../../../database/prepared.ts'
import type { AccessTokenTable } from '../../../../database/schema/products/grants.ts'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import { integer } from '../../../../database/sql/integer.ts'
import type { Meta } from '../../../../database/store.ts'
import { currentRevision } from '../../../ground/settings/statements.ts'
import { betaCodeOf } from '../../../operations/beta-codes/statements.ts'
import { people, usersToRestrict } from '../../../people/users/statements.ts'
import type { Client } from '../../clients/client.ts'
import { batchFor } from '../../clients/holding.ts'

/** The columns of a user that decide, with the settings, whether tokens are issued. */
export const RESTRICTED_BY = [
  ...['person.role', 'person.staff_scopes', 'person.factors'],
  ...['person.email', 'person.email_verified'],
] as const

export async function refreshTokenByHash(meta: Meta, tokenHash: string) {
  const { primary } = meta
  const [row] = await primary.run(byHash(primary, { tokenHash }))
  return row
}

const byHash = prepared({ tokenHash: '' }, (db: Kysely<MetaTables>, { tokenHash }) =>
  db
    .selectFrom('refresh_token')
    .innerJoin('api_grant', 'api_grant.id', 'refresh_token.grant_id')
    .innerJoin(usersToRestrict(db).as('person'), 'person.id', 'api_grant.user_id')
    .select(RESTRICTED_BY)
    .select([
      currentRevision(db).as('settings_revision'),
      'refresh_token.used_at',
      'refresh_token.expires_at',
      'api_grant.id as grant_id',
      'api_grant.user_id',
      'api_grant.kind',
      'api_grant.client_name',
      'api_grant.client_id',
      'api_grant.scopes',
      'api_grant.resource',
      'api_grant.created_at as grant_created_at',
      'api_grant.revoked_at',
      'api_grant.organization_id',
    ])
    .where('refresh_token.token_hash', '=', tokenHash),
)

export async function userOfGrant(meta: Meta, grantId: string) {
  const { primary } = meta
  const [row] = await primary.run(ofGrant(primary, { grantId }))
  return row
}

/** Includes what the authorization request carried, for an `id_token`. */
const ofGrant = prepared({ grantId: '' }, (db: Kysely<MetaTables>, { grantId }) =>
  db
    .selectFrom('api_grant')
    .innerJoin(identified(db).as('person'), 'person.id', 'api_grant.user_id')
    .leftJoin('authorization_request', 'authorization_request.grant_id', 'api_grant.id')
    .selectAll('person')
    .select([
      'api_grant.id as grant_id',
      'api_grant.kind',
      'api_grant.client_name',
      'api_grant.scopes',
      'api_grant.resource',
      'api_grant.is_offline',
      'api_grant.auth_time',
      'api_grant.session_id',
      'authorization_request.nonce',
    ])
    .where('api_grant.id', '=', grantId),
)

/** A user, with the columns that decide whether an `id_token` can identify them. */
export function identified(db: Kysely<MetaTables>) {
  return people(db).select([
    currentRevision(db).as('settings_revision'),
    betaCodeOf(db, sql.ref('user.id')).as('beta_code'),
  ])
}

export type GrantWithUser = NonNullable<Awaited<ReturnType<typeof userOfGrant>>>

/** For a token that has not been handed out yet. */
export async function narrowAccess(
  meta: Meta,
  tokenHash: string,
  to: { readonly scopes: string } | { readonly resource: string | null },
): Promise<void> {
  await meta.updateTable('access_token').set(to).where('token_hash', '=', tokenHash).execute()
}

type NewAccess = Omit<AccessTokenTable, 'subject_hash' | 'actor_id' | 'act'>

const NEW_ACCESS: NewAccess = { token_hash: '', grant_id: '', resource: null, scopes: '', created_at: 0, expires_at: 0 }

export const insertAccessToken = prepared(NEW_ACCESS, (db: Kysely<MetaTables>, token) =>
  db.insertInto('access_token').values(token),
)

export const insertRefreshToken = prepared(
  { token_hash: '', grant_id: '', created_at: 0, expires_at: 0 },
  (db: Kysely<MetaTables>, token) => db.insertInto('refresh_token').values(token),
)

export interface NewTokens {
  readonly grantId: string
  readonly accessHash: string
  readonly accessExpiresAt: number
  /** The access token's scopes, if they are fewer than the grant's. */
  readonly narrowerScopes: string | null
  /** The access token's resource, if it is narrower than the grant's. */
  readonly narrowerResource: string | null
  readonly refreshHash: string
  readonly refreshExpiresAt: number
  readonly now: number
}

/** Names the values of a prepared statement. */
const TOKENS: NewTokens = {
  grantId: '',
  accessHash: '',
  accessExpiresAt: 0,
  narrowerScopes: null,
  narrowerResource: null,
  refreshHash: '',
  refreshExpiresAt: 0,
  now: 0,
}

/**
 * Takes effect only while the grant is active; this batch has locked its row. The same pair again changes nothing.
 */
function insertTokens(meta: Kysely<MetaTables>, tokens: NewTokens) {
  const { grantId, now } = tokens
  const activeGrants = meta.selectFrom('api_grant').where('id', '=', grantId).where('revoked_at', 'is', null)
  return [
    meta
      .insertInto('access_token')
      .columns(['token_hash', 'grant_id', 'scopes', 'resource', 'created_at', 'expires_at'])
      .expression(
        activeGrants.select([
          sql.val(tokens.accessHash).as('token_hash'),
          'id as grant_id',
          sql<string>`coalesce(cast(${tokens.narrowerScopes} as text), scopes)`.as('scopes'),
          sql<string | null>`coalesce(cast(${tokens.narrowerResource} as text), resource)`.as('resource'),
          integer(now).as('created_at'),
          integer(tokens.accessExpiresAt).as('expires_at'),
        ]),
      )
      .onConflict((conflict) => conflict.column('token_hash').doNothing()),
    meta
      .insertInto('refresh_token')
      .columns(['token_hash', 'grant_id', 'created_at', 'expires_at'])
      .expression(
        activeGrants
          .where('is_offline', '=', 1)
          .select([
            sql.val(tokens.refreshHash).as('token_hash'),
            'id as grant_id',
            integer(now).as('created_at'),
            integer(tokens.refreshExpiresAt).as('expires_at'),
          ]),
      )
      .onConflict((conflict) => conflict.column('token_hash').doNothing()),
  ] as const
}

interface Rotation extends NewTokens {
  readonly oldHash: string
  /** The origin of the request. The first request with the old token leaves its origin with the token. */
  readonly origin: string
  /** Access tokens from before this rotation live no longer than this. */
  readonly olderAccessEndsAt: number
}

/**
 * `batchFor` locks the application, then this locks the grant's row, so that a revocation happens either before or
 * after. A retry has the same hashes and changes nothing. Returns when the access token ends and where the old token
 * was rotated from, if the grant is active.
 */
export async function rotate(meta: Meta, client: Client, rotation: Rotation) {
  const [result, ...before] = rotationBatch(meta, rotation)
  const rows = await batchFor(meta, client, ...before, result)
  return rows.of(result)[0]
}

const EXAMPLE: Rotation = { ...TOKENS, oldHash: '', origin: '', olderAccessEndsAt: 0 }

const rotationBatch = preparedAll(
  EXAMPLE,
  (db: Kysely<MetaTables>, to) =>
    [
      db
        .selectFrom('access_token')
        // Does not join the grant: SQLite would then read every refresh token that the grant ever had.
        .innerJoin('refresh_token', (join) => join.on('refresh_token.token_hash', '=', to.oldHash))
        .innerJoin('api_grant', (join) => join.on('api_grant.id', '=', to.grantId))
        .select(['access_token.expires_at', 'refresh_token.rotated_from'])
        .where('access_token.token_hash', '=', to.accessHash)
        .where('api_grant.revoked_at', 'is', null),

      db
        .updateTable('api_grant')
        .set({ expires_at: to.refreshExpiresAt, last_used_at: to.now })
        .where('id', '=', to.grantId)
        .where('revoked_at', 'is', null),
      db
        .updateTable('refresh_token')
        .set({ used_at: to.now, rotated_from: to.origin })
        .where('token_hash', '=', to.oldHash)
        .where('used_at', 'is', null),
      shortenOlderAccess(db, to),
      ...insertTokens(db, to),
    ] as const,
)

/**
 * Running calls with the older token can finish; no new one begins with it. The batch must have marked the refresh
 * token as used, which locks it.
 */
function shortenOlderAccess(meta: Kysely<MetaTables>, rotation: Rotation) {
  const { grantId, oldHash, olderAccessEndsAt } = rotation
  return meta
    .updateTable('access_token')
    .set({ expires_at: olderAccessEndsAt })
    .where('grant_id', '=', grantId)
    .where('expires_at', '>', olderAccessEndsAt)
    .where(({ and, or, eb, selectFrom }) => {
      const usedAt = selectFrom('refresh_token').select('used_at').where('token_hash', '=', oldHash)
      // An exchanged token ends with its subject, also in the millisecond of the rotation.
      const exchangedAtOnce = and([eb('subject_hash', 'is not', null), eb('created_at', '=', usedAt)])
      return or([eb('created_at', '<', usedAt), exchangedAtOnce])
    })
}
