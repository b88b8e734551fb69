import { type Kysely, sql } from 'kysely'
import { columns, ofGrant, ofUser, ofUserOrNull, primary, required, unlogged, zero } from '../columns.ts'
import { applications } from './applications.ts'
import { events } from './events.ts'
import type { Migration } from './migrate.ts'
import { webhooks } from './webhooks.ts'

// biome-ignore lint/suspicious/noExplicitAny: see `Migration`.
type Db = Kysely<any>

export const metaMigrations: readonly Migration[] = [
  { name: '0001-instance', up: instance },
  { name: '0002-identity', up: identity },
  { name: '0003-grants', up: grants },
  { name: '0004-operations', up: operations },
  { name: '0005-background', up: background },
  { name: '0006-living-access', up: livingAccess },
  { name: '0007-settings-token', up: settingsToken },
  { name: '0008-proof-of-address', up: proofOfAddress },
  { name: '0009-signup-reward', up: signupReward },
  { name: '0010-confirmed-sessions', up: confirmedSessions },
  { name: '0011-idempotency-keys', up: idempotencyKeys },
  { name: '0012-mailed-links', up: mailedLinks },
  { name: '0013-rotation-origin', up: rotationOrigin },
  { name: '0014-account-issuer', up: accountIssuer },
  { name: '0015-free-codes-and-shards-of-moves', up: freeCodesAndShardsOfMoves },
  { name: '0016-signing-keys', up: signingKeys },
  { name: '0017-brand', up: brand },
  { name: '0018-events', up: events },
  { name: '0019-factors', up: factors },
  { name: '0020-settings-history', up: settingsHistory },
  { name: '0021-applications', up: applications },
  { name: '0022-webhooks', up: webhooks },
]

function instance(db: Db) {
  return [
    db.schema
      .createTable('instance')
      .$call(columns('text', ['name'], primary))
      .$call(columns('text', ['value'], required)),
    db.schema
      .createTable('settings')
      .addColumn('id', 'text', (column) => primary(column).check(sql`id = 'global'`))
      .$call(columns('text', ['authentication', 'email', 'credits', 'ai'], required))
      .$call(columns('bigint', ['revision', 'authentication_version', 'email_version'], required))
      .$call(columns('bigint', ['credits_version', 'ai_version', 'updated_at'], required)),
    db.schema
      .createTable('shards')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['region', 'state'], required))
      .$call(columns('bigint', ['created_at'], required)),
    db.schema
      .createTable('key_value')
      .$call(unlogged(db))
      .$call(columns('text', ['key'], primary))
      .$call(columns('text', ['value'], required))
      .$call(columns('bigint', ['expires_at'], required)),
    db.schema.createIndex('key_value_expires').on('key_value').column('expires_at'),
  ]
}

function identity(db: Db) {
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
    // The administrator is single by this index, not by habit.
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

function grants(db: Db) {
  return [...apiGrants(db), ...authorizationRequests(db), ...grantTokens(db)]
}

function apiGrants(db: Db) {
  return [
    db.schema
      .createTable('api_grant')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['client_id', 'client_name', 'target_origin', 'scopes'], required))
      .$call(columns('bigint', ['created_at', 'expires_at'], required))
      .$call(columns('bigint', ['last_used_at', 'revoked_at'])),
    db.schema.createIndex('api_grant_expires').on('api_grant').column('expires_at'),
    db.schema.createIndex('api_grant_revoked').on('api_grant').column('revoked_at'),
    db.schema.createIndex('api_grant_user').on('api_grant').columns(['user_id', 'created_at']),
  ]
}

function authorizationRequests(db: Db) {
  return [
    db.schema
      .createTable('authorization_request')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['flow', 'state', 'client_id', 'client_name', 'target_origin'], required))
      .$call(columns('text', ['scopes'], required))
      .$call(columns('text', ['user_id'], ofUserOrNull))
      // No foreign key: the grant is named here first and then made, in one batch.
      .$call(columns('text', ['grant_id', 'redirect_uri', 'client_state', 'code_challenge']))
      .$call(columns('text', ['ip', 'user_agent'], required))
      .$call(columns('text', ['code_hash', 'user_code', 'device_code_hash'], (column) => column.unique()))
      .$call(columns('bigint', ['interval_seconds', 'created_at', 'expires_at'], required))
      .$call(columns('bigint', ['last_polled_at'])),
    db.schema.createIndex('authorization_request_expires').on('authorization_request').column('expires_at'),
    db.schema.createIndex('authorization_request_user').on('authorization_request').column('user_id'),
    db.schema.createIndex('authorization_request_grant').on('authorization_request').column('grant_id'),
  ]
}

function grantTokens(db: Db) {
  const table = (name: string) =>
    db.schema
      .createTable(name)
      .$call(columns('text', ['token_hash'], primary))
      .$call(columns('text', ['grant_id'], ofGrant))
      .$call(columns('bigint', ['created_at', 'expires_at'], required))
  return [
    table('access_token').$call(columns('text', ['scopes'], required)),
    table('refresh_token').$call(columns('bigint', ['used_at'])),
    ...['access_token', 'refresh_token'].flatMap((name) => [
      db.schema.createIndex(`${name}_grant`).on(name).column('grant_id'),
      db.schema.createIndex(`${name}_expires`).on(name).column('expires_at'),
    ]),
  ]
}

function operations(db: Db) {
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

function background(db: Db) {
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

/** A rotation looks for the tokens of one grant that still have a while to live, of however many it has had. */
function livingAccess(db: Db) {
  return [
    db.schema.dropIndex('access_token_grant'),
    db.schema.createIndex('access_token_living').on('access_token').columns(['grant_id', 'expires_at']),
  ]
}

function settingsToken(db: Db) {
  return [
    db.schema.alterTable('settings').addColumn('token', 'text', (column) => required(column).defaultTo('')),
  ]
}

/** An address that was verified before this was written down counts as proven from the beginning. */
function proofOfAddress(db: Db) {
  return [
    db.schema.alterTable('user').addColumn('email_proven_at', 'bigint'),
    db.updateTable('user').set({ email_proven_at: sql`case email_verified when 1 then created_at end` }),
  ]
}

/** As the settings had it when the user was made; the balance may be made later. */
function signupReward(db: Db) {
  return [db.schema.alterTable('user_shards').addColumn('signup_reward', 'bigint', zero)]
}

function confirmedSessions(db: Db) {
  return [db.schema.alterTable('session').addColumn('confirmed_at', 'bigint', zero)]
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
    db.schema.createIndex('idempotency_keys_created').on('idempotency_keys').column('created_at'),
  ]
}

/** Codes live for five minutes: those on their way are asked for again. */
function mailedLinks(db: Db) {
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

/** Null for what was rotated before this was written down. */
function rotationOrigin(db: Db) {
  return [db.schema.alterTable('refresh_token').addColumn('rotated_from', 'text')]
}

/** SQLite cannot drop a constraint, so the table is made anew. Nothing refers to it. */
function accountIssuer(db: Db) {
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

function freeCodesAndShardsOfMoves(db: Db) {
  return [
    db.schema.createIndex('beta_codes_used_at').on('beta_codes').column('used_at'),
    db.schema.createIndex('shard_moves_to').on('shard_moves').column('to_shard'),
  ]
}

/** The generation makes two processes agree on one successor. */
function signingKeys(db: Db) {
  return [
    db.schema
      .createTable('signing_key')
      .$call(columns('text', ['algorithm'], required))
      .$call(columns('bigint', ['generation'], required))
      .addColumn('kid', 'text', (column) => required(column).unique())
      .$call(columns('text', ['public_jwk', 'sealed'], required))
      .$call(columns('bigint', ['created_at', 'signs_from'], required))
      .addPrimaryKeyConstraint('signing_key_generation', ['algorithm', 'generation']),
  ]
}

function brand(db: Db) {
  return [
    db.schema.alterTable('settings').addColumn('brand', 'text', (column) => required(column).defaultTo('{}')),
    db.schema
      .alterTable('settings')
      .addColumn('brand_version', 'bigint', (column) => required(column).defaultTo(1)),
  ]
}

function factors(db: Db) {
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

function settingsHistory(db: Db) {
  return [
    db.schema.alterTable('settings').addColumn('history', 'text', (column) => required(column).defaultTo('')),
  ]
}
