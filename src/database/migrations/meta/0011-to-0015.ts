import { columns, ofUser, primary, required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function idempotencyKeys(db: Db) {
  return [
    db.schema
      .createTable('idempotency_keys')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['fingerprint', 'answer'], required))
      .$call(columns('bigint', ['created_at'], required)),
    db.schema.createIndex('idempotency_keys_user').on('idempotency_keys').columns(['user_id', 'id']),
    db.schema.createIndex('idempotency_keys_created').on('idempotency_keys').column('created_at'),
  ]
}

/** Codes last five minutes, so pending ones are simply requested again. */
export function mailedLinks(db: Db) {
  return [
    db.schema.dropTable('verification'),
    db.schema.dropTable('code_failures'),
    db.schema
      .createTable('verification')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['purpose', 'email', 'code_hash', 'link_hash'], required))
      .$call(columns('bigint', ['is_spent'], zero))
      .$call(columns('bigint', ['created_at', 'expires_at'], required))
      .addUniqueConstraint('verification_purpose_email_unique', ['purpose', 'email']),
    db.schema.createIndex('verification_expires').on('verification').column('expires_at'),
    db.schema
      .createTable('code_guesses')
      .$call(columns('text', ['email', 'guesser', 'code_id'], required))
      .$call(columns('bigint', ['day', 'failures', 'failures_on_code'], required))
      .addPrimaryKeyConstraint('code_guesses_key', ['email', 'day', 'guesser']),
    db.schema.createIndex('code_guesses_day').on('code_guesses').column('day'),
  ]
}

/** Null for tokens that were rotated before this column existed. */
export function rotationOrigin(db: Db) {
  return [db.schema.alterTable('refresh_token').addColumn('rotated_from', 'text')]
}

/** SQLite cannot drop a constraint, so the table is created again. Nothing refers to it. */
export function accountIssuer(db: Db) {
  const kept = [
    ...['id', 'user_id', 'provider', 'provider_account_id'],
    ...['password_hash', 'password_is_initial', 'created_at', 'updated_at'],
  ]
  return [
    db.schema
      .createTable('account_with_issuer')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['provider'], required))
      .addColumn('issuer', 'text', (column) => required(column).defaultTo(''))
      .$call(columns('text', ['provider_account_id'], required))
      .$call(columns('text', ['password_hash']))
      .$call(columns('bigint', ['password_is_initial'], zero))
      .$call(columns('bigint', ['created_at', 'updated_at'], required))
      .addUniqueConstraint('account_issuer_unique', ['provider', 'issuer', 'provider_account_id'])
      .addUniqueConstraint('account_user_slot_unique', ['user_id', 'provider']),
    db.insertInto('account_with_issuer').columns(kept).expression(db.selectFrom('account').select(kept)),
    db.schema.dropTable('account'),
    db.schema.alterTable('account_with_issuer').renameTo('account'),
  ]
}

export function freeCodesAndShardsOfMoves(db: Db) {
  return [
    db.schema.createIndex('beta_codes_used_at').on('beta_codes').column('used_at'),
    db.schema.createIndex('shard_moves_to').on('shard_moves').column('to_shard'),
  ]
}
