import { sql } from 'kysely'
import { columns, primary, required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function webhooks(db: Db) {
  const isPending = sql<boolean>`state = 'pending'`
  return [
    db.schema
      .createTable('webhook')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['url', 'types', 'sealed', 'claimed_by'], required))
      .$call(columns('text', ['former_sealed']))
      .$call(columns('bigint', ['enabled', 'position', 'created_at', 'updated_at'], required))
      .$call(columns('bigint', ['former_until', 'failing_since', 'last_taken_at', 'switched_off_at']))
      .$call(columns('bigint', ['claimed_until'], zero)),
    db.schema
      .createTable('webhook_delivery')
      .$call(columns('text', ['id'], primary))
      .addColumn('webhook_id', 'text', (column) =>
        column.notNull().references('webhook.id').onDelete('cascade'),
      )
      .$call(columns('text', ['event_id', 'type', 'state'], required))
      .$call(columns('text', ['user_id', 'answer', 'error', 'body']))
      .$call(columns('bigint', ['position', 'created_at', 'begun_at'], required))
      .$call(columns('bigint', ['tries', 'next_attempt_at'], zero))
      .$call(columns('bigint', ['last_attempt_at', 'status', 'milliseconds']))
      .addUniqueConstraint('webhook_delivery_event_unique', ['webhook_id', 'event_id']),
    db.schema
      .createIndex('webhook_delivery_due')
      .on('webhook_delivery')
      .columns(['webhook_id', 'next_attempt_at', 'position'])
      .where(isPending),
    db.schema
      .createIndex('webhook_delivery_user')
      .on('webhook_delivery')
      .columns(['webhook_id', 'user_id', 'position'])
      .where(isPending),
    db.schema
      .createIndex('webhook_delivery_newest')
      .on('webhook_delivery')
      .columns(['webhook_id', 'created_at', 'id']),
    db.schema.createIndex('webhook_delivery_created').on('webhook_delivery').column('created_at'),
  ]
}
