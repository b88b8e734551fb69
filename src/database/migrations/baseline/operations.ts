import { type SqlBool, sql } from 'kysely'
import { by, columns, of, ofOptional, ofUser, ofUserOrNull, primary, required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function operationsTables(db: Db) {
  return [
    ...event(db),
    ...eventOrder(db),
    ...refusedAddress(db),
    ...idempotencyKeys(db),
    ...notifications(db),
    ...notificationPreference(db),
    ...announcement(db),
    ...digestEntry(db),
    ...betaCodes(db),
    ...savedView(db),
    ...mailQueue(db),
    ...webhook(db),
    ...webhookDelivery(db),
  ]
}

function event(db: Db) {
  return [
    db.schema
      .createTable('event')
      .$call(columns('text', ['id'], primary))
      .$call(columns('bigint', ['created_at'], required))
      .$call(columns('text', ['action', 'details'], required))
      .$call(columns('text', ['actor_id', 'subject_type', 'subject_id', 'ip', 'type', 'user_id', 'data']))
      .$call(columns('bigint', ['position'])),
    db.schema
      .createIndex('event_newest')
      .on('event')
      .columns(['created_at', 'id'])
      .where(sql<SqlBool>`action <> ''`),
    db.schema
      .createIndex('event_action')
      .on('event')
      .columns(['action', 'created_at', 'id'])
      .where(sql<SqlBool>`action <> ''`),
    db.schema
      .createIndex('event_actor')
      .on('event')
      .columns(['actor_id', 'created_at'])
      .where(sql<SqlBool>`action <> ''`),
    db.schema
      .createIndex('event_subject')
      .on('event')
      .columns(['subject_id', 'created_at'])
      .where(sql<SqlBool>`subject_id is not null`),
    db.schema
      .createIndex('event_pending')
      .on('event')
      .columns(['created_at', 'id'])
      .where(sql<SqlBool>`position is null and type is not null`),
    db.schema
      .createIndex('event_position')
      .on('event')
      .columns(['position'])
      .unique()
      .where(sql<SqlBool>`position is not null`),
  ]
}

function eventOrder(db: Db) {
  return [
    db.schema
      .createTable('event_order')
      .$call(columns('text', ['id'], (column) => column.notNull().primaryKey().check(sql`id = 'global'`)))
      .$call(columns('bigint', ['last'], required)),
    db.insertInto('event_order').values({ id: 'global', last: 0 }),
  ]
}

function refusedAddress(db: Db) {
  return [
    db.schema
      .createTable('refused_address')
      .$call(
        columns('text', ['event_id'], (column) =>
          column.notNull().primaryKey().references('event.id').onDelete('cascade'),
        ),
      )
      .$call(columns('text', ['address_hash', 'masked'], required)),
    db.schema.createIndex('refused_address_hash').on('refused_address').columns(['address_hash']),
  ]
}

function idempotencyKeys(db: Db) {
  return [
    db.schema
      .createTable('idempotency_keys')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['fingerprint', 'answer'], required))
      .$call(columns('bigint', ['created_at'], required)),
    db.schema.createIndex('idempotency_keys_user').on('idempotency_keys').columns(['user_id', 'id']),
    db.schema.createIndex('idempotency_keys_created').on('idempotency_keys').columns(['created_at']),
  ]
}

function notifications(db: Db) {
  return [
    db.schema
      .createTable('notifications')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['type', 'title', 'content'], required))
      .$call(columns('text', ['target_user_id'], ofUserOrNull))
      .$call(columns('bigint', ['created_at', 'updated_at'], required))
      .$call(columns('bigint', ['archived_at']))
      .$call(columns('text', ['link']))
      .$call(columns('text', ['level'], by('info')))
      .$call(columns('bigint', ['also_email'], zero)),
    db.schema
      .createIndex('notifications_target')
      .on('notifications')
      .columns(['target_user_id', 'created_at', 'id', 'type', 'archived_at']),
    db.schema.createIndex('notifications_archived').on('notifications').columns(['archived_at']),
    db.schema.createIndex('notifications_newest').on('notifications').columns(['created_at', 'id']),
  ]
}

function notificationPreference(db: Db) {
  return [
    db.schema
      .createTable('notification_preference')
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['type', 'email'], required))
      .addPrimaryKeyConstraint('notification_preference_key', ['user_id', 'type']),
  ]
}

function announcement(db: Db) {
  return [
    db.schema
      .createTable('announcement')
      .$call(
        columns('text', ['notification_id'], (column) =>
          column.notNull().primaryKey().references('notifications.id').onDelete('cascade'),
        ),
      )
      .$call(columns('text', ['after_user_id'], required)),
  ]
}

function digestEntry(db: Db) {
  return [
    db.schema
      .createTable('digest_entry')
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['notification_id'], of('notifications')))
      .$call(columns('bigint', ['due_at'], required))
      .addPrimaryKeyConstraint('digest_entry_key', ['user_id', 'notification_id']),
    db.schema.createIndex('digest_entry_due').on('digest_entry').columns(['due_at', 'user_id']),
    db.schema.createIndex('digest_entry_notification').on('digest_entry').columns(['notification_id']),
  ]
}

function betaCodes(db: Db) {
  return [
    db.schema
      .createTable('beta_codes')
      .$call(columns('text', ['code'], primary))
      .$call(
        columns('text', ['used_by'], (column) => column.unique().references('user.id').onDelete('cascade')),
      )
      .$call(columns('bigint', ['created_at'], required))
      .$call(columns('bigint', ['used_at'])),
    db.schema.createIndex('beta_codes_newest').on('beta_codes').columns(['created_at', 'code']),
    db.schema.createIndex('beta_codes_used_at').on('beta_codes').columns(['used_at']),
  ]
}

function savedView(db: Db) {
  return [
    db.schema
      .createTable('saved_view')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['list', 'name', 'filters'], required))
      .$call(columns('bigint', ['created_at'], required))
      .addUniqueConstraint('saved_view_name', ['list', 'name']),
  ]
}

function mailQueue(db: Db) {
  return [
    db.schema
      .createTable('mail_queue')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['kind', 'sealed'], required))
      .$call(columns('bigint', ['created_at', 'expires_at', 'next_attempt_at'], required))
      .$call(columns('bigint', ['attempts', 'claimed_until'], zero))
      .$call(columns('text', ['last_error', 'about'])),
    db.schema.createIndex('mail_queue_expires').on('mail_queue').columns(['expires_at']),
    db.schema.createIndex('mail_queue_next').on('mail_queue').columns(['next_attempt_at']),
    db.schema.createIndex('mail_queue_about').on('mail_queue').columns(['about']),
    db.schema.createIndex('mail_queue_kind').on('mail_queue').columns(['kind', 'next_attempt_at']),
  ]
}

function webhook(db: Db) {
  return [
    db.schema
      .createTable('webhook')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['url', 'types', 'sealed', 'claimed_by'], required))
      .$call(columns('text', ['former_sealed']))
      .$call(columns('bigint', ['enabled', 'position', 'created_at', 'updated_at'], required))
      .$call(columns('bigint', ['former_until', 'failing_since', 'last_taken_at', 'switched_off_at']))
      .$call(columns('bigint', ['claimed_until'], zero))
      .$call(columns('text', ['application_id'], ofOptional('application'))),
    db.schema.createIndex('webhook_application').on('webhook').columns(['application_id']).unique(),
  ]
}

function webhookDelivery(db: Db) {
  return [
    db.schema
      .createTable('webhook_delivery')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['webhook_id'], of('webhook')))
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
      .where(sql<SqlBool>`state = 'pending'`),
    db.schema
      .createIndex('webhook_delivery_user')
      .on('webhook_delivery')
      .columns(['webhook_id', 'user_id', 'position'])
      .where(sql<SqlBool>`state = 'pending'`),
    db.schema
      .createIndex('webhook_delivery_newest')
      .on('webhook_delivery')
      .columns(['webhook_id', 'created_at', 'id']),
    db.schema.createIndex('webhook_delivery_created').on('webhook_delivery').columns(['created_at']),
  ]
}
