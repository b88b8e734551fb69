import type { Db } from '../migrate.ts'

/** What an older program lets sign up with a former address keeps it: the address is then taken. */
export function emailChanges({ schema }: Db) {
  return [
    schema
      .createTable('email_change')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'text', (column) => column.notNull().references('user.id').onDelete('cascade'))
      .addColumn('former_email', 'text', (column) => column.notNull())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('requested_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint'),
    schema.createIndex('email_change_of').on('email_change').columns(['user_id', 'requested_at']),
    schema.createIndex('email_change_former').on('email_change').columns(['former_email', 'changed_at']),
    schema.createIndex('email_change_requested').on('email_change').column('requested_at'),
  ]
}
