import { columns, ofUser, primary, required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function factors(db: Db) {
  return [...suspension(db), ...secondSteps(db), ...factorTables(db)]
}

function suspension(db: Db) {
  const user = () => db.schema.alterTable('user')
  return [
    user().addColumn('factors', 'text', (column) => required(column).defaultTo('')),
    user().addColumn('suspended_at', 'bigint'),
    user().addColumn('suspension_reason', 'text'),
  ]
}

function secondSteps(db: Db) {
  return [
    db.schema
      .createTable('pending_sign_in')
      .$call(columns('text', ['token_hash'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['first_step', 'cookie_life'], required))
      .$call(columns('text', ['return_address']))
      .$call(columns('bigint', ['created_at', 'expires_at'], required)),
    db.schema.createIndex('pending_sign_in_user').on('pending_sign_in').column('user_id'),
    db.schema.createIndex('pending_sign_in_expires').on('pending_sign_in').column('expires_at'),
    db.schema
      .createTable('trusted_device')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .addColumn('token_hash', 'text', (column) => required(column).unique())
      .$call(columns('bigint', ['created_at', 'expires_at', 'last_used_at'], required))
      .$call(columns('text', ['ip', 'user_agent', 'place'])),
    db.schema.createIndex('trusted_device_user').on('trusted_device').column('user_id'),
    db.schema.createIndex('trusted_device_expires').on('trusted_device').column('expires_at'),
  ]
}

function factorTables(db: Db) {
  return [
    db.schema
      .createTable('totp_factor')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['sealed', 'last_use'], required))
      .$call(columns('bigint', ['is_confirmed', 'last_step'], zero))
      .$call(columns('bigint', ['created_at'], required))
      .$call(columns('bigint', ['last_used_at']))
      .addUniqueConstraint('totp_factor_user_unique', ['user_id', 'is_confirmed']),
    db.schema
      .createTable('backup_code')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['code_hash', 'last_use'], required))
      .$call(columns('bigint', ['is_active'], zero)),
    db.schema.createIndex('backup_code_user').on('backup_code').columns(['user_id', 'code_hash']),
    db.schema
      .createTable('passkey')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .addColumn('credential_id', 'text', (column) => required(column).unique())
      .$call(columns('text', ['public_key', 'device_type', 'transports'], required))
      .$call(columns('text', ['aaguid', 'name', 'last_use'], required))
      .$call(columns('bigint', ['counter', 'is_backed_up'], zero))
      .$call(columns('bigint', ['created_at'], required))
      .$call(columns('bigint', ['last_used_at'])),
    db.schema.createIndex('passkey_user').on('passkey').columns(['user_id', 'created_at']),
  ]
}
