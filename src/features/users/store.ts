import { type SqlBool, sql } from 'kysely'
import { contains, createdWithin, equals } from '../../database/conditions.ts'
import type { Meta } from '../../database/store.ts'
import type { Slice } from '../../rules/paging.ts'

export function administrator(meta: Meta) {
  return meta.primary.selectFrom('user').selectAll().where('role', '=', 'administrator').executeTakeFirst()
}

export function userByEmail(meta: Meta, email: string) {
  return meta.primary.selectFrom('user').selectAll().where('email', '=', email).executeTakeFirst()
}

export function anyUser(meta: Meta) {
  return meta.primary.selectFrom('user').select('id').limit(1).executeTakeFirst()
}

export function withShard(meta: Meta, id: string) {
  return meta.primary
    .selectFrom('user')
    .leftJoin('user_shards', 'user_shards.user_id', 'user.id')
    .selectAll('user')
    .select('shard_id')
    .where('user.id', '=', id)
    .executeTakeFirst()
}

export interface UserFilter {
  readonly search?: string | undefined
  readonly created_at_start?: number | undefined
  readonly created_at_end?: number | undefined
}

export function page(meta: Meta, filter: UserFilter, { offset, limit }: Slice) {
  return matching(meta, filter)
    .leftJoin('user_shards', 'user_shards.user_id', 'user.id')
    .selectAll('user')
    .select('shard_id')
    .orderBy('user.created_at', 'desc')
    .orderBy('user.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
}

export async function count(meta: Meta, filter: UserFilter): Promise<number> {
  const { total } = await matching(meta, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

function matching(meta: Meta, filter: UserFilter) {
  const { search } = filter
  const found = [
    ...contains('user.email', search),
    ...contains('user.name', search),
    ...equals('user.id', search),
  ]
  return meta
    .selectFrom('user')
    .where((eb) =>
      eb.and([...(found.length === 0 ? [] : [eb.or(found)]), ...createdWithin(filter, 'user.created_at')]),
    )
}

export function accounts(meta: Meta, userId: string) {
  return meta
    .selectFrom('account')
    .select(['provider', 'provider_account_id', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export function sessions(meta: Meta, userId: string, now: number) {
  return meta
    .selectFrom('session')
    .select(['id', 'created_at', 'last_used_at', 'expires_at', 'ip', 'user_agent', 'place'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export function grants(meta: Meta, userId: string) {
  return meta
    .selectFrom('api_grant')
    .select(['id', 'client_name', 'target_origin', 'scopes', 'created_at', 'last_used_at', 'revoked_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export function betaCode(meta: Meta, userId: string) {
  return meta
    .selectFrom('beta_codes')
    .select(['code', 'used_at'])
    .where('used_by', '=', userId)
    .executeTakeFirst()
}

export function deleteSessions(meta: Meta, userId: string) {
  return meta.deleteFrom('session').where('user_id', '=', userId).returning('id')
}

/** So that a move to another shard comes either before the erasure or not at all. */
export function lockAssignment(meta: Meta, userId: string) {
  return meta
    .updateTable('user_shards')
    .set((eb) => ({ moves: eb.ref('moves') }))
    .where('user_id', '=', userId)
}

/** Numbered, so that the shard's part is done however often it is tried; nothing where nobody is. */
export function insertErasure(meta: Meta, userId: string, erasure: NewErasure) {
  return meta
    .insertInto('erasure')
    .columns(['id', 'user_id', 'shard_id', 'requested_by', 'created_at', 'attempts'])
    .expression((db) =>
      db
        .selectFrom('user_shards')
        .select([
          sql.val(erasure.id).as('id'),
          'user_id',
          'shard_id',
          sql.val(erasure.requestedBy).as('requested_by'),
          sql<number>`cast(${erasure.createdAt} as bigint)`.as('created_at'),
          sql.lit(0).as('attempts'),
        ])
        .where('user_id', '=', userId),
    )
}

export interface NewErasure {
  readonly id: string
  readonly requestedBy: string
  readonly createdAt: number
}

/** Whatever names the user dies with the row; what names the address goes along. */
export function deleteUser(meta: Meta, userId: string) {
  const emailOfUser = sql<string>`(select email from ${sql.table('user')} where id = ${userId})`
  const hasThatEmail = sql<SqlBool>`email = ${emailOfUser}`
  return [
    meta.deleteFrom('verification').where(hasThatEmail),
    meta.deleteFrom('code_failures').where(hasThatEmail),
    meta.deleteFrom('user').where('id', '=', userId),
  ]
}

export function openErasures(meta: Meta, limit: number) {
  return meta.primary
    .selectFrom('erasure')
    .selectAll()
    .where('done_at', 'is', null)
    .orderBy('attempts')
    .orderBy('id')
    .limit(limit)
    .execute()
}

export function markErased(meta: Meta, id: string, now: number) {
  return meta.updateTable('erasure').set({ done_at: now }).where('id', '=', id).where('done_at', 'is', null)
}

export async function noteAttempt(meta: Meta, id: string): Promise<void> {
  await meta
    .updateTable('erasure')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .execute()
}
