import { type Kysely, sql } from 'kysely'
import { integer } from '../../database/integer.ts'
import { pageWithTotal } from '../../database/page-with-total.ts'
import { skipLockedRows } from '../../database/row-lock.ts'
import type { MetaTables } from '../../database/schema.ts'
import type { Meta } from '../../database/store.ts'
import type { Slice } from '../../rules/paging.ts'

/** What the user sees: newest first. */
export function grantsOf(meta: Meta, userId: string, { offset, limit }: Slice) {
  const ofUser = meta.selectFrom('api_grant').where('user_id', '=', userId)
  return pageWithTotal(
    meta,
    ofUser.select((eb) => eb.fn.countAll<number>().as('total')),
    ofUser.selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').offset(offset).limit(limit),
  )
}

/** The tokens go with it. The grant's row is locked first, as in `rotate`: a refresh comes before or after. */
export function revokeGrant(meta: Meta, id: string, now: number) {
  return [
    meta
      .updateTable('api_grant')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning(['id', 'user_id']),
    meta.deleteFrom('access_token').where('grant_id', '=', id),
    meta.deleteFrom('refresh_token').where('grant_id', '=', id),
  ] as const
}

export function grantOfUser(meta: Meta, id: string, userId: string) {
  return meta.primary
    .selectFrom('api_grant')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

export async function grantIdByToken(
  meta: Meta,
  table: 'access_token' | 'refresh_token',
  tokenHash: string,
): Promise<string | undefined> {
  const row = await meta.primary
    .selectFrom(table)
    .select('grant_id')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return row?.grant_id
}

export interface NewTokens {
  readonly grantId: string
  readonly accessHash: string
  readonly accessExpiresAt: number
  /** The access token's, if they are fewer than the grant's. */
  readonly narrowerScopes: string | null
  readonly refreshHash: string
  readonly refreshExpiresAt: number
  readonly now: number
}

/** Only while the grant lives, whose row this batch has made or locked; the same pair again changes nothing. */
export function insertTokens(meta: Kysely<MetaTables>, tokens: NewTokens) {
  const { grantId, now } = tokens
  const living = meta.selectFrom('api_grant').where('id', '=', grantId).where('revoked_at', 'is', null)
  return [
    meta
      .insertInto('access_token')
      .columns(['token_hash', 'grant_id', 'scopes', 'created_at', 'expires_at'])
      .expression(
        living.select([
          sql.val(tokens.accessHash).as('token_hash'),
          'id as grant_id',
          sql<string>`coalesce(cast(${tokens.narrowerScopes} as text), scopes)`.as('scopes'),
          integer(now).as('created_at'),
          integer(tokens.accessExpiresAt).as('expires_at'),
        ]),
      )
      .onConflict((conflict) => conflict.column('token_hash').doNothing()),
    meta
      .insertInto('refresh_token')
      .columns(['token_hash', 'grant_id', 'created_at', 'expires_at'])
      .expression(
        living.select([
          sql.val(tokens.refreshHash).as('token_hash'),
          'id as grant_id',
          integer(now).as('created_at'),
          integer(tokens.refreshExpiresAt).as('expires_at'),
        ]),
      )
      .onConflict((conflict) => conflict.column('token_hash').doNothing()),
  ] as const
}

export async function deleteEnded(meta: Meta, now: number, forgetGrantsBefore: number): Promise<void> {
  for (const table of ['access_token', 'refresh_token'] as const) {
    const ended = meta.selectFrom(table).select('token_hash').where('expires_at', '<=', now)
    await meta
      .deleteFrom(table)
      .where('token_hash', 'in', ended.$call(skipLockedRows(meta)))
      .execute()
  }
  const old = meta
    .selectFrom('api_grant')
    .select('id')
    .where((eb) =>
      eb.or([eb('expires_at', '<=', forgetGrantsBefore), eb('revoked_at', '<=', forgetGrantsBefore)]),
    )
  await meta
    .deleteFrom('api_grant')
    .where('id', 'in', old.$call(skipLockedRows(meta)))
    .execute()
}
