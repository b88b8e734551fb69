import { columns, ofUser, primary, required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function announcements(db: Db) {
  return [
    db.schema.alterTable('notifications').addColumn('link', 'text'),
    db.schema
      .alterTable('notifications')
      .addColumn('level', 'text', (column) => column.notNull().defaultTo('info')),
    db.schema.alterTable('notifications').addColumn('also_email', 'bigint', zero),
    db.schema.alterTable('mail_queue').addColumn('about', 'text'),
    db.schema.createIndex('mail_queue_about').on('mail_queue').column('about'),
    db.schema.createIndex('mail_queue_kind').on('mail_queue').columns(['kind', 'next_attempt_at']),
    db.schema
      .createTable('notification_preference')
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['type', 'email'], required))
      .addPrimaryKeyConstraint('notification_preference_key', ['user_id', 'type']),
    db.schema
      .createTable('announcement')
      .addColumn('notification_id', 'text', (column) =>
        primary(column).references('notifications.id').onDelete('cascade'),
      )
      .$call(columns('text', ['after_user_id'], required)),
    db.schema
      .createTable('digest_entry')
      .$call(columns('text', ['user_id'], ofUser))
      .addColumn('notification_id', 'text', (column) =>
        column.notNull().references('notifications.id').onDelete('cascade'),
      )
      .$call(columns('bigint', ['due_at'], required))
      .addPrimaryKeyConstraint('digest_entry_key', ['user_id', 'notification_id']),
    db.schema.createIndex('digest_entry_due').on('digest_entry').columns(['due_at', 'user_id']),
    db.schema.createIndex('digest_entry_notification').on('digest_entry').column('notification_id'),
  ]
}
