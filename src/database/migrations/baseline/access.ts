import { type SqlBool, sql } from 'kysely'
import { by, columns, of, ofUser, ofUserOrNull, primary, required, unique, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function accessTables(db: Db) {
  return [
    ...application(db),
    ...productScope(db),
    ...consent(db),
    ...applicationSignIn(db),
    ...apiGrant(db),
    ...authorizationRequest(db),
    ...accessToken(db),
    ...refreshToken(db),
    ...signingKey(db),
    ...approval(db),
    ...grantAct(db),
  ]
}

function application(db: Db) {
  return [
    db.schema
      .createTable('application')
      .$call(columns('text', ['id'], primary))
      .$call(
        columns(
          'text',
          ['name', 'kind', 'redirect_uris', 'post_logout_redirect_uris', 'scopes', 'id_token_algorithm'],
          required,
        ),
      )
      .$call(columns('text', ['logo_url', 'home_url', 'secret_hash']))
      .$call(columns('bigint', ['skip_consent'], zero))
      .$call(columns('bigint', ['created_at', 'updated_at'], required))
      .$call(columns('bigint', ['require_pkce'], by(1)))
      .$call(columns('text', ['backchannel_logout_uri', 'resource']))
      .$call(columns('text', ['origin'], by('administrator')))
      .$call(columns('bigint', ['fresh_until'])),
    db.schema.createIndex('application_newest').on('application').columns(['created_at', 'id']),
    db.schema
      .createIndex('application_logout')
      .on('application')
      .columns(['id'])
      .where(sql<SqlBool>`backchannel_logout_uri is not null`),
    db.schema.createIndex('application_resource').on('application').columns(['resource']).unique(),
    db.schema.createIndex('application_origin').on('application').columns(['origin', 'updated_at']),
  ]
}

function productScope(db: Db) {
  return [
    db.schema
      .createTable('product_scope')
      .$call(columns('text', ['scope'], primary))
      .$call(columns('text', ['description'], required))
      .$call(columns('bigint', ['created_at'], required)),
  ]
}

function consent(db: Db) {
  return [
    db.schema
      .createTable('consent')
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['client_id', 'scopes'], required))
      .$call(columns('bigint', ['created_at'], required))
      .addPrimaryKeyConstraint('consent_key', ['user_id', 'client_id']),
    db.schema.createIndex('consent_client').on('consent').columns(['client_id']),
  ]
}

function applicationSignIn(db: Db) {
  return [
    db.schema
      .createTable('application_sign_in')
      .$call(columns('text', ['application_id', 'session_id', 'user_id'], required))
      .$call(columns('bigint', ['created_at'], required))
      .addPrimaryKeyConstraint('application_sign_in_key', ['application_id', 'session_id']),
    db.schema
      .createIndex('application_sign_in_user')
      .on('application_sign_in')
      .columns(['application_id', 'user_id']),
  ]
}

function apiGrant(db: Db) {
  return [
    db.schema
      .createTable('api_grant')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['client_id', 'client_name', 'target_origin', 'scopes'], required))
      .$call(columns('bigint', ['created_at', 'expires_at'], required))
      .$call(columns('bigint', ['last_used_at', 'revoked_at']))
      .$call(columns('text', ['kind'], by('tool')))
      .$call(columns('bigint', ['is_offline'], by(1)))
      .$call(columns('bigint', ['auth_time']))
      .$call(columns('text', ['session_id', 'resource']))
      .$call(columns('bigint', ['daily_limit']))
      .$call(columns('text', ['approval'], by('none'))),
    db.schema.createIndex('api_grant_expires').on('api_grant').columns(['expires_at']),
    db.schema.createIndex('api_grant_revoked').on('api_grant').columns(['revoked_at']),
    db.schema.createIndex('api_grant_user').on('api_grant').columns(['user_id', 'created_at']),
    db.schema.createIndex('api_grant_client').on('api_grant').columns(['client_id', 'expires_at']),
    db.schema
      .createIndex('api_grant_session')
      .on('api_grant')
      .columns(['session_id'])
      .where(sql<SqlBool>`session_id is not null and is_offline = 0`),
  ]
}

function authorizationRequest(db: Db) {
  return [
    db.schema
      .createTable('authorization_request')
      .$call(columns('text', ['id'], primary))
      .$call(
        columns('text', ['flow', 'state', 'client_id', 'client_name', 'target_origin', 'scopes'], required),
      )
      .$call(columns('text', ['user_id'], ofUserOrNull))
      .$call(columns('text', ['grant_id', 'redirect_uri', 'client_state', 'code_challenge']))
      .$call(columns('text', ['ip', 'user_agent'], required))
      .$call(columns('text', ['code_hash', 'user_code', 'device_code_hash'], (column) => column.unique()))
      .$call(columns('bigint', ['interval_seconds', 'created_at', 'expires_at'], required))
      .$call(columns('bigint', ['last_polled_at']))
      .$call(columns('text', ['kind'], by('tool')))
      .$call(columns('bigint', ['is_offline'], by(1)))
      .$call(columns('text', ['nonce', 'session_id']))
      .$call(columns('bigint', ['proof_after', 'auth_time']))
      .$call(columns('text', ['response_mode']))
      .$call(columns('bigint', ['only_sign_in'], zero))
      .$call(columns('text', ['resource'])),
    db.schema
      .createIndex('authorization_request_expires')
      .on('authorization_request')
      .columns(['expires_at']),
    db.schema.createIndex('authorization_request_user').on('authorization_request').columns(['user_id']),
    db.schema.createIndex('authorization_request_grant').on('authorization_request').columns(['grant_id']),
    db.schema.createIndex('authorization_request_client').on('authorization_request').columns(['client_id']),
  ]
}

function accessToken(db: Db) {
  return [
    db.schema
      .createTable('access_token')
      .$call(columns('text', ['token_hash'], primary))
      .$call(columns('text', ['grant_id'], of('api_grant')))
      .$call(columns('bigint', ['created_at', 'expires_at'], required))
      .$call(columns('text', ['scopes'], required))
      .$call(columns('text', ['resource'])),
    db.schema.createIndex('access_token_expires').on('access_token').columns(['expires_at']),
    db.schema.createIndex('access_token_living').on('access_token').columns(['grant_id', 'expires_at']),
  ]
}

function refreshToken(db: Db) {
  return [
    db.schema
      .createTable('refresh_token')
      .$call(columns('text', ['token_hash'], primary))
      .$call(columns('text', ['grant_id'], of('api_grant')))
      .$call(columns('bigint', ['created_at', 'expires_at'], required))
      .$call(columns('bigint', ['used_at']))
      .$call(columns('text', ['rotated_from'])),
    db.schema.createIndex('refresh_token_grant').on('refresh_token').columns(['grant_id']),
    db.schema.createIndex('refresh_token_expires').on('refresh_token').columns(['expires_at']),
  ]
}

function signingKey(db: Db) {
  return [
    db.schema
      .createTable('signing_key')
      .$call(columns('text', ['algorithm'], required))
      .$call(columns('bigint', ['generation'], required))
      .$call(columns('text', ['kid'], unique))
      .$call(columns('text', ['public_jwk', 'sealed'], required))
      .$call(columns('bigint', ['created_at', 'signs_from'], required))
      .addPrimaryKeyConstraint('signing_key_generation', ['algorithm', 'generation']),
  ]
}

function approval(db: Db) {
  return [
    db.schema
      .createTable('approval')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['grant_id'], of('api_grant')))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['method', 'path', 'input', 'state'], required))
      .$call(columns('text', ['key', 'result']))
      .$call(columns('bigint', ['created_at', 'expires_at'], required)),
    db.schema.createIndex('approval_of_user').on('approval').columns(['user_id', 'state', 'created_at']),
    db.schema.createIndex('approval_by_key').on('approval').columns(['grant_id', 'key']).unique(),
    db.schema.createIndex('approval_expiry').on('approval').columns(['expires_at']),
  ]
}

function grantAct(db: Db) {
  return [
    db.schema
      .createTable('grant_act')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['grant_id'], of('api_grant')))
      .$call(columns('text', ['path'], required))
      .$call(columns('text', ['ip', 'approval_id']))
      .$call(columns('bigint', ['status', 'created_at'], required)),
    db.schema.createIndex('grant_act_newest').on('grant_act').columns(['grant_id', 'id']),
  ]
}
