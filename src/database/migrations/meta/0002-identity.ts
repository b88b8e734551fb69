import { columns, ofUser, ofUserOrNull, primary, required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function identity(db: Db) {
  return [...users(db), ...sessions(db), ...verification(db)]
}

function users(db: Db) {
  return [
    db.schema
      .createTable('user')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['name', 'role'], required))
      .addColumn('email', 'text', (column) => column.notNull().unique())
      .addColumn('aff_code', 'text', (column) => column.notNull().unique())
      .$call(columns('text', ['image', 'registration_utm_source']))
      .$call(columns('bigint', ['email_verified', 'created_at', 'updated_at'], required)),
    // This index ensures that there is only one administrator.
    db.schema
      .createIndex('user_one_administrator')
      .unique()
      .on('user')
      .column('role')
      .where('role', '=', 'administrator'),
    db.schema.createIndex('user_newest').on('user').columns(['created_at', 'id']),
    db.schema
      .createTable('account')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['provider', 'provider_account_id'], required))
      .$call(columns('text', ['password_hash']))
      .$call(columns('bigint', ['password_is_initial'], zero))
      .$call(columns('bigint', ['created_at', 'updated_at'], required))
      .addUniqueConstraint('account_provider_unique', ['provider', 'provider_account_id'])
      .addUniqueConstraint('account_user_provider_unique', ['user_id', 'provider']),
    ...assignments(db),
  ]
}

function assignments(db: Db) {
  return [
    db.schema
      .createTable('user_shards')
      .addColumn('user_id', 'text', (column) => ofUser(column).primaryKey())
      .addColumn('shard_id', 'text', (column) => column.notNull().references('shards.id'))
      .$call(columns('bigint', ['created_at'], required))
      .$call(columns('bigint', ['moves'], zero)),
    db.schema.createIndex('user_shards_shard').on('user_shards').columns(['shard_id', 'user_id']),
    db.schema
      .createTable('shard_moves')
      .$call(columns('text', ['user_id'], primary))
      .$call(
        columns('text', ['from_shard', 'to_shard'], (column) => column.notNull().references('shards.id')),
      )
      .$call(columns('bigint', ['attempt', 'claimed_at'], required)),
    db.schema.createIndex('shard_moves_claimed').on('shard_moves').column('claimed_at'),
    db.schema.createIndex('shard_moves_from').on('shard_moves').column('from_shard'),
  ]
}

function sessions(db: Db) {
  return [
    db.schema
      .createTable('session')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .$call(columns('bigint', ['created_at', 'refreshed_at', 'expires_at', 'last_used_at'], required))
      .$call(columns('text', ['ip', 'user_agent', 'place'])),
    db.schema.createIndex('session_user').on('session').columns(['user_id', 'created_at']),
    db.schema.createIndex('session_expires').on('session').column('expires_at'),
  ]
}

function verification(db: Db) {
  return [
    db.schema
      .createTable('verification')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['purpose', 'email', 'code_hash'], required))
      .$call(columns('bigint', ['attempts'], zero))
      .$call(columns('bigint', ['created_at', 'expires_at'], required))
      .addUniqueConstraint('verification_purpose_email_unique', ['purpose', 'email']),
    db.schema.createIndex('verification_expires').on('verification').column('expires_at'),
    db.schema
      .createTable('code_failures')
      .$call(columns('text', ['email'], required))
      .$call(columns('bigint', ['day', 'failures'], required))
      .addPrimaryKeyConstraint('code_failures_key', ['email', 'day']),
    db.schema.createIndex('code_failures_day').on('code_failures').column('day'),
    db.schema
      .createTable('provider_flow')
      .$call(columns('text', ['state_hash'], primary))
      .$call(columns('text', ['browser_hash', 'provider', 'sealed'], required))
      .$call(columns('text', ['link_user_id'], ofUserOrNull))
      .$call(columns('bigint', ['expires_at'], required)),
    db.schema.createIndex('provider_flow_expires').on('provider_flow').column('expires_at'),
    db.schema.createIndex('provider_flow_user').on('provider_flow').column('link_user_id'),
  ]
}
