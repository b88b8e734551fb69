import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import type { ApiGrantTable } from '../../../database/schema/products/grants.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../database/store.ts'
import type { Slice } from '../../../rules/paging.ts'
import { endedWithSession, type GrantIds, notEnded } from './statements.ts'

type Db = Kysely<MetaTables>

export type Kinds = 'connections' | 'personal' | 'all'

/**
 * The newest come first. Every sign-in at an application makes a grant, so only its active ones are listed as
 * connections. Personal tokens have their own list. Takes no lock.
 */
export function grantsPage(meta: Meta, userId: string, kinds: Kinds, now: number, { offset, limit }: Slice) {
  const ofUser = meta
    .selectFrom('api_grant')
    .where('user_id', '=', userId)
    .$if(kinds === 'personal', (query) => query.where('kind', '=', 'personal'))
    .$if(kinds === 'connections', (query) =>
      query.where('kind', '<>', 'personal').where((eb) => eb.or([eb('kind', '=', 'tool'), notEnded(meta, now)])),
    )
  return pageWithTotal(
    meta,
    ofUser.select((eb) => eb.fn.countAll<number>().as('total')),
    ofUser
      .selectAll()
      .select(endedWithSession(meta).as('ended_with_session'))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .offset(offset)
      .limit(limit),
  )
}

/** Makes the application ask again. The grant must be locked; its user and application never change. */
export const forgetConsentOf = prepared({ id: '' }, (db: Db, { id }) =>
  db
    .deleteFrom('consent')
    .where('user_id', 'in', (eb) => eb.selectFrom('api_grant').select('user_id').where('id', '=', id))
    .where('client_id', 'in', (eb) => eb.selectFrom('api_grant').select('client_id').where('id', '=', id)),
)

/** A grant that ends: its owner, its kind, and its owner's name for it. */
export type Ending = Pick<ApiGrantTable, 'id' | 'user_id' | 'kind' | 'client_name'>

/** Returns no row if the grant has been revoked. */
export const lockedGrant = prepared({ id: '' }, (db: Db, { id }) =>
  db
    .selectFrom('api_grant')
    .select(['api_grant.id', 'api_grant.client_id'])
    .where('api_grant.id', '=', id)
    .where('revoked_at', 'is', null)
    .$call(lockRows(db)),
)

export function grantOfUser(meta: Meta, id: string, userId: string) {
  return meta.primary
    .selectFrom('api_grant')
    .select(['id', 'user_id', 'kind', 'client_name'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

/** Includes the service that exchanged a user's token for this one. */
export function grantByToken(meta: Meta, table: 'access_token' | 'refresh_token', tokenHash: string) {
  return meta.primary
    .selectFrom(table)
    .innerJoin('api_grant', 'api_grant.id', `${table}.grant_id`)
    .select([
      ...(['api_grant.id', 'api_grant.user_id', 'api_grant.kind'] as const),
      ...(['api_grant.client_id', 'api_grant.client_name'] as const),
      (table === 'access_token' ? sql.ref<string | null>('access_token.actor_id') : sql<null>`null`).as('actor_id'),
    ])
    .where(`${table}.token_hash`, '=', tokenHash)
    .executeTakeFirst()
}

/** Kinds that make a new grant at each sign-in; ended ones are not worth keeping. */
const UNLISTED = ['application', 'service'] as const

interface Forget {
  readonly grantsBefore: number
  readonly unlistedBefore: number
  /** Grants that were revoked earlier have no tokens left. */
  readonly tokensSince: number
}

/** Deletes the acts of grants in parts, since a few grants can have thousands. */
export type DeleteActs = (meta: Meta, grantIds: GrantIds) => Promise<void>

export async function deleteEnded(meta: Meta, now: number, forget: Forget, deleteActs: DeleteActs): Promise<void> {
  const revoked = idsWhere(meta, (row) => row('revoked_at', '>', forget.tokensSince))
  for (const table of ['access_token', 'refresh_token'] as const) {
    await sweepRows(meta, table, 'token_hash', (row) => row('expires_at', '<=', now))
    await sweepRows(meta, table, 'token_hash', (row) => row('grant_id', 'in', revoked))
  }
  for (const which of forgotten(forget)) {
    await deleteActs(meta, idsWhere(meta, which))
    await sweepRows(meta, 'api_grant', 'id', which)
  }
}

type Which = (row: ExpressionBuilder<MetaTables, 'api_grant'>) => Expression<SqlBool>

/** Three conditions, not one with `or`, for which SQLite reads every grant. */
function forgotten({ grantsBefore, unlistedBefore }: Forget): readonly Which[] {
  return [
    (row) => row('expires_at', '<=', grantsBefore),
    (row) => row('revoked_at', '<=', grantsBefore),
    (row) => row.and([row('kind', 'in', UNLISTED), row('expires_at', '<=', unlistedBefore)]),
  ]
}

function idsWhere(meta: Meta, which: Which) {
  return meta.selectFrom('api_grant').select('api_grant.id').where(which)
}
