import { sql } from 'kysely'
import type { Db } from '../migrate.ts'

/** Columns of the user, because each request reads its caller's. The index is as short as the list of the staff. */
export function staff({ schema }: Db) {
  return [
    schema.alterTable('user').addColumn('staff_scopes', 'text'),
    schema.alterTable('user').addColumn('staff_since', 'bigint'),
    schema.createIndex('user_staff').on('user').column('id').where(sql.ref('staff_scopes'), 'is not', null),
  ]
}
