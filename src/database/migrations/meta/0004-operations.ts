import { columns, ofUserOrNull, primary, required } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function operations(db: Db) {
  return [
    db.schema
      .createTable('notifications')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['type', 'title', 'content'], required))
      .$call(columns('text', ['target_user_id'], ofUserOrNull))
      .$call(columns('bigint', ['created_at', 'updated_at'], required))
      .$call(columns('bigint', ['archived_at'])),
    db.schema
      .createIndex('notifications_target')
      .on('notifications')
      .columns(['target_user_id', 'created_at', 'id', 'type', 'archived_at']),
    db.schema.createIndex('notifications_archived').on('notifications').column('archived_at'),
    db.schema.createIndex('notifications_newest').on('notifications').columns(['created_at', 'id']),
    db.schema
      .createTable('beta_codes')
      .$call(columns('text', ['code'], primary))
      .$call(columns('text', ['used_by'], (column) => ofUserOrNull(column).unique()))
      .$call(columns('bigint', ['created_at'], required))
      .$call(columns('bigint', ['used_at'])),
    db.schema.createIndex('beta_codes_newest').on('beta_codes').columns(['created_at', 'code']),
    db.schema
      .createTable('audit_entry')
      .$call(columns('text', ['id'], primary))
      .$call(columns('bigint', ['created_at'], required))
      .$call(columns('text', ['action', 'details'], required))
      .$call(columns('text', ['actor_id', 'subject_type', 'subject_id', 'ip'])),
    db.schema.createIndex('audit_entry_newest').on('audit_entry').columns(['created_at', 'id']),
    db.schema.createIndex('audit_entry_action').on('audit_entry').columns(['action', 'created_at', 'id']),
    db.schema.createIndex('audit_entry_actor').on('audit_entry').columns(['actor_id', 'created_at']),
    db.schema.createIndex('audit_entry_subject').on('audit_entry').columns(['subject_id', 'created_at']),
  ]
}
