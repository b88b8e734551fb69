import { type SqlBool, sql } from 'kysely'
import { by, columns, ofUser, ofUserOrNull, primary, required, unique, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function peopleTables(db: Db) {
  return [
    ...user(db),
    ...userShards(db),
    ...shardMoves(db),
    ...erasure(db),
    ...account(db),
    ...providerFlow(db),
    ...session(db),
    ...pendingSignIn(db),
    ...trustedDevice(db),
    ...totpFactor(db),
    ...backupCode(db),
    ...passkey(db),
    ...mailedCode(db),
    ...codeGuesses(db),
    ...codeLetters(db),
  ]
}

function user(db: Db) {
  return [
    db.schema
      .createTable('user')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['name', 'role'], required))
      .$call(columns('text', ['email', 'aff_code'], unique))
      .$call(columns('text', ['image', 'registration_utm_source']))
      .$call(columns('bigint', ['email_verified', 'created_at', 'updated_at'], required))
      .$call(columns('bigint', ['email_proven_at']))
      .$call(columns('text', ['factors'], by('')))
      .$call(columns('bigint', ['suspended_at']))
      .$call(columns('text', ['suspension_reason']))
      .$call(columns('text', ['folded_name'], by('')))
      .$call(columns('bigint', ['last_sign_in_at'], zero)),
    db.schema
      .createIndex('user_one_administrator')
      .on('user')
      .columns(['role'])
      .unique()
      .where(sql<SqlBool>`"role" = 'administrator'`),
    db.schema.createIndex('user_newest').on('user').columns(['created_at', 'id']),
    db.schema.createIndex('user_last_sign_in').on('user').columns(['last_sign_in_at', 'id']),
    db.schema.createIndex('user_state').on('user').columns(['suspended_at', 'email_verified', 'factors']),
  ]
}

function userShards(db: Db) {
  return [
    db.schema
      .createTable('user_shards')
      .$call(
        columns('text', ['user_id'], (column) =>
          column.notNull().primaryKey().references('user.id').onDelete('cascade'),
        ),
      )
      .$call(columns('text', ['shard_id'], (column) => column.notNull().references('shards.id')))
      .$call(columns('bigint', ['created_at'], required))
      .$call(columns('bigint', ['moves', 'signup_reward'], zero)),
    db.schema.createIndex('user_shards_shard').on('user_shards').columns(['shard_id', 'user_id']),
  ]
}

function shardMoves(db: Db) {
  return [
    db.schema
      .createTable('shard_moves')
      .$call(columns('text', ['user_id'], primary))
      .$call(
        columns('text', ['from_shard', 'to_shard'], (column) => column.notNull().references('shards.id')),
      )
      .$call(columns('bigint', ['attempt', 'claimed_at'], required)),
    db.schema.createIndex('shard_moves_claimed').on('shard_moves').columns(['claimed_at']),
    db.schema.createIndex('shard_moves_from').on('shard_moves').columns(['from_shard']),
    db.schema.createIndex('shard_moves_to').on('shard_moves').columns(['to_shard']),
  ]
}

function erasure(db: Db) {
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
      .where(sql<SqlBool>`done_at is null`),
  ]
}

function account(db: Db) {
  return [
    db.schema
      .createTable('account')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['provider'], required))
      .$call(columns('text', ['issuer'], by('')))
      .$call(columns('text', ['provider_account_id'], required))
      .$call(columns('text', ['password_hash']))
      .$call(columns('bigint', ['password_is_initial'], zero))
      .$call(columns('bigint', ['created_at', 'updated_at'], required))
      .addUniqueConstraint('account_issuer_unique', ['provider', 'issuer', 'provider_account_id'])
      .addUniqueConstraint('account_user_slot_unique', ['user_id', 'provider']),
  ]
}

function providerFlow(db: Db) {
  return [
    db.schema
      .createTable('provider_flow')
      .$call(columns('text', ['state_hash'], primary))
      .$call(columns('text', ['browser_hash', 'provider', 'sealed'], required))
      .$call(columns('text', ['link_user_id'], ofUserOrNull))
      .$call(columns('bigint', ['expires_at'], required)),
    db.schema.createIndex('provider_flow_expires').on('provider_flow').columns(['expires_at']),
    db.schema.createIndex('provider_flow_user').on('provider_flow').columns(['link_user_id']),
  ]
}

function session(db: Db) {
  return [
    db.schema
      .createTable('session')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['token_hash'], unique))
      .$call(columns('bigint', ['created_at', 'refreshed_at', 'expires_at', 'last_used_at'], required))
      .$call(columns('text', ['ip', 'user_agent', 'place']))
      .$call(columns('bigint', ['confirmed_at'], zero)),
    db.schema.createIndex('session_user').on('session').columns(['user_id', 'created_at']),
    db.schema.createIndex('session_expires').on('session').columns(['expires_at']),
  ]
}

function pendingSignIn(db: Db) {
  return [
    db.schema
      .createTable('pending_sign_in')
      .$call(columns('text', ['token_hash'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['first_step', 'cookie_life'], required))
      .$call(columns('text', ['return_address']))
      .$call(columns('bigint', ['created_at', 'expires_at'], required)),
    db.schema.createIndex('pending_sign_in_user').on('pending_sign_in').columns(['user_id']),
    db.schema.createIndex('pending_sign_in_expires').on('pending_sign_in').columns(['expires_at']),
  ]
}

function trustedDevice(db: Db) {
  return [
    db.schema
      .createTable('trusted_device')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['token_hash'], unique))
      .$call(columns('bigint', ['created_at', 'expires_at', 'last_used_at'], required))
      .$call(columns('text', ['ip', 'user_agent', 'place'])),
    db.schema.createIndex('trusted_device_user').on('trusted_device').columns(['user_id']),
    db.schema.createIndex('trusted_device_expires').on('trusted_device').columns(['expires_at']),
  ]
}

function totpFactor(db: Db) {
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
  ]
}

function backupCode(db: Db) {
  return [
    db.schema
      .createTable('backup_code')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['code_hash', 'last_use'], required))
      .$call(columns('bigint', ['is_active'], zero)),
    db.schema.createIndex('backup_code_user').on('backup_code').columns(['user_id', 'code_hash']),
  ]
}

function passkey(db: Db) {
  return [
    db.schema
      .createTable('passkey')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['credential_id'], unique))
      .$call(
        columns('text', ['public_key', 'device_type', 'transports', 'aaguid', 'name', 'last_use'], required),
      )
      .$call(columns('bigint', ['counter', 'is_backed_up'], zero))
      .$call(columns('bigint', ['created_at'], required))
      .$call(columns('bigint', ['last_used_at']))
      .$call(columns('bigint', ['is_user_verified'], zero))
      .$call(columns('text', ['rp_id'], by(''))),
    db.schema.createIndex('passkey_user').on('passkey').columns(['user_id', 'created_at']),
    db.schema.createIndex('passkey_rp').on('passkey').columns(['rp_id']),
  ]
}

function mailedCode(db: Db) {
  return [
    db.schema
      .createTable('mailed_code')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['purpose', 'email', 'asker', 'code_hash', 'link_hash'], required))
      .$call(columns('bigint', ['created_at', 'code_expires_at', 'link_expires_at'], required)),
    db.schema.createIndex('mailed_code_email').on('mailed_code').columns(['email', 'id']),
    db.schema.createIndex('mailed_code_expires').on('mailed_code').columns(['link_expires_at']),
  ]
}

function codeGuesses(db: Db) {
  return [
    db.schema
      .createTable('code_guesses')
      .$call(columns('text', ['email', 'guesser', 'code_id'], required))
      .$call(columns('bigint', ['day', 'failures', 'failures_on_code'], required))
      .$call(columns('bigint', ['counts_until'], zero))
      .addPrimaryKeyConstraint('code_guesses_key', ['email', 'day', 'guesser']),
    db.schema.createIndex('code_guesses_day').on('code_guesses').columns(['day']),
  ]
}

function codeLetters(db: Db) {
  return [
    db.schema
      .createTable('code_letters')
      .$call(columns('text', ['email', 'purpose'], required))
      .$call(columns('bigint', ['day', 'letters'], required))
      .addPrimaryKeyConstraint('code_letters_key', ['email', 'purpose', 'day']),
    db.schema.createIndex('code_letters_day').on('code_letters').columns(['day']),
  ]
}
