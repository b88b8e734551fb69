import { sql } from 'kysely'
import type { Meta } from '../../platform/store.ts'
import type { ErasureTable } from '../../store/schema.ts'

export function administrator(meta: Meta) {
  return meta.primary.selectFrom('user').selectAll().where('role', '=', 'administrator').executeTakeFirst()
}

export function userByEmail(meta: Meta, email: string) {
  return meta.primary.selectFrom('user').selectAll().where('email', '=', email).executeTakeFirst()
}

/** For whoever is to be deleted in the same batch; nobody deletes the administrator. */
export function insertErasure(
  meta: Meta,
  userId: string,
  row: Pick<ErasureTable, 'id' | 'requested_by' | 'created_at'>,
) {
  return meta
    .insertInto('erasure')
    .columns(['id', 'user_id', 'shard_id', 'requested_by', 'created_at'])
    .expression((db) =>
      db
        .selectFrom('user')
        .innerJoin('user_shards', 'user_shards.user_id', 'user.id')
        .select([
          sql.val(row.id).as('id'),
          'user.id as user_id',
          'user_shards.shard_id',
          sql.val(row.requested_by).as('requested_by'),
          sql<number>`cast(${row.created_at} as bigint)`.as('created_at'),
        ])
        .where('user.id', '=', userId)
        .where('user.role', '<>', 'administrator'),
    )
}

export function deleteUser(meta: Meta, userId: string) {
  return meta.deleteFrom('user').where('id', '=', userId).where('role', '<>', 'administrator').returning('id')
}
