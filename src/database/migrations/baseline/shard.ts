import { by, columns, primary, required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function shardTables(db: Db) {
  return [
    ...instance(db),
    ...residents(db),
    ...feedbacks(db),
    ...feedbackCounts(db),
    ...notificationReads(db),
    ...creditBalance(db),
    ...creditEntries(db),
    ...idempotencyKeys(db),
    ...eventOutbox(db),
  ]
}

function instance(db: Db) {
  return [
    db.schema
      .createTable('instance')
      .$call(columns('text', ['name'], primary))
      .$call(columns('text', ['value'], required)),
  ]
}

function residents(db: Db) {
  return [
    db.schema
      .createTable('residents')
      .$call(columns('text', ['user_id'], primary))
      .$call(columns('text', ['state'], required))
      .$call(columns('bigint', ['writes'], required))
      .$call(columns('bigint', ['attempt'], zero)),
  ]
}

function feedbacks(db: Db) {
  return [
    db.schema
      .createTable('feedbacks')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id', 'type', 'content', 'status', 'note'], required))
      .$call(columns('bigint', ['created_at', 'updated_at'], required))
      .$call(columns('text', ['context'], by('{}')))
      .$call(columns('text', ['reply'], by('')))
      .$call(columns('bigint', ['replied_at'])),
    db.schema.createIndex('feedbacks_newest').on('feedbacks').columns(['created_at', 'id']),
    db.schema.createIndex('feedbacks_user').on('feedbacks').columns(['user_id', 'created_at', 'id']),
    db.schema.createIndex('feedbacks_type').on('feedbacks').columns(['type', 'created_at', 'id']),
    db.schema.createIndex('feedbacks_status').on('feedbacks').columns(['status', 'created_at', 'id']),
  ]
}

function feedbackCounts(db: Db) {
  return [
    db.schema
      .createTable('feedback_counts')
      .$call(columns('text', ['kind', 'value'], required))
      .$call(columns('bigint', ['slot', 'feedbacks'], required))
      .$call(columns('bigint', ['bytes']))
      .addPrimaryKeyConstraint('feedback_counts_key', ['kind', 'value', 'slot']),
  ]
}

function notificationReads(db: Db) {
  return [
    db.schema
      .createTable('notification_reads')
      .$call(columns('text', ['notification_id', 'user_id'], required))
      .addPrimaryKeyConstraint('notification_reads_key', ['notification_id', 'user_id']),
    db.schema
      .createIndex('notification_reads_user')
      .on('notification_reads')
      .columns(['user_id', 'notification_id']),
  ]
}

function creditBalance(db: Db) {
  return [
    db.schema
      .createTable('credit_balance')
      .$call(columns('text', ['user_id'], primary))
      .$call(columns('bigint', ['balance'], required)),
  ]
}

function creditEntries(db: Db) {
  return [
    db.schema
      .createTable('credit_entries')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id', 'source_type', 'source_id'], required))
      .$call(columns('bigint', ['amount', 'balance_after', 'created_at'], required))
      .addUniqueConstraint('credit_entries_source_unique', ['source_type', 'source_id']),
    db.schema
      .createIndex('credit_entries_user')
      .on('credit_entries')
      .columns(['user_id', 'created_at', 'id']),
  ]
}

function idempotencyKeys(db: Db) {
  return [
    db.schema
      .createTable('idempotency_keys')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id', 'fingerprint', 'answer'], required))
      .$call(columns('bigint', ['created_at'], required)),
    db.schema.createIndex('idempotency_keys_user').on('idempotency_keys').columns(['user_id', 'id']),
    db.schema.createIndex('idempotency_keys_created').on('idempotency_keys').columns(['created_at']),
  ]
}

function eventOutbox(db: Db) {
  return [
    db.schema
      .createTable('event_outbox')
      .$call(columns('text', ['id'], primary))
      .$call(columns('bigint', ['created_at'], required))
      .$call(columns('text', ['row'], required)),
  ]
}
