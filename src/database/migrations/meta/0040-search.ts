import { sql } from 'kysely'
import { required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

/** What users are found by. Of users from before, only the case is folded, and no sign-in is known. */
export function search(db: Db) {
  const { schema } = db
  return [
    schema.alterTable('user').addColumn('folded_name', 'text', (column) => required(column).defaultTo('')),
    schema.alterTable('user').addColumn('last_sign_in_at', 'bigint', zero),
    db.updateTable('user').set({ folded_name: sql`lower(name)` }),
    schema.createIndex('user_last_sign_in').on('user').columns(['last_sign_in_at', 'id']),
    schema.createIndex('user_state').on('user').columns(['suspended_at', 'email_verified', 'factors']),
    schema
      .createTable('saved_view')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('list', 'text', required)
      .addColumn('name', 'text', required)
      .addColumn('filters', 'text', required)
      .addColumn('created_at', 'bigint', required)
      .addUniqueConstraint('saved_view_name', ['list', 'name']),
  ]
}
