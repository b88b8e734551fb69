import { sql } from 'kysely'
import { columns, primary, required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function background(db: Db) {
  return [
    db.schema
      .createTable('erasure')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id', 'shard_id', 'requested_by'], required))
      .$call(columns('bigint', ['created_at'], required))
      .$call(columns('bigint', ['done_at']))
      .$call(columns('bigint', ['attempts'], zero)),
    db.schema
      .createIndex('erasure_open')
      .on('erasure')
      .columns(['attempts', 'id'])
      .where(sql<boolean>`done_at is null`),
    db.schema
      .createTable('mail_queue')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['kind', 'sealed'], required))
      .$call(columns('bigint', ['created_at', 'expires_at', 'next_attempt_at'], required))
      .$call(columns('bigint', ['attempts', 'claimed_until'], zero))
      .$call(columns('text', ['last_error'])),
    db.schema.createIndex('mail_queue_expires').on('mail_queue').column('expires_at'),
    db.schema.createIndex('mail_queue_next').on('mail_queue').column('next_attempt_at'),
  ]
}
