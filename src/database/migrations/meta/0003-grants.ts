import { columns, ofGrant, ofUser, ofUserOrNull, primary, required } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function grants(db: Db) {
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
      // No foreign key: a batch writes the grant's id here before it inserts the grant.
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
