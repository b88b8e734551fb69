import type { Db } from '../migrate.ts'

/** A user has no row until something is saved. */
export function userData({ schema }: Db) {
  return [
    schema
      .createTable('user_data')
      .addColumn('user_id', 'text', (column) => column.primaryKey().references('user.id').onDelete('cascade'))
      .addColumn('public', 'text', (column) => column.notNull())
      .addColumn('private', 'text', (column) => column.notNull())
      .addColumn('own', 'text', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull()),
  ]
}
