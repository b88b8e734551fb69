import type { ColumnDefinitionBuilder } from 'kysely'
import { columns, ofUser, primary, required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

/** What the administrator registers, and the columns that grants need for it. */
export function applications(db: Db) {
  const flag = (column: ColumnDefinitionBuilder) => required(column).defaultTo(1)
  const kind = (column: ColumnDefinitionBuilder) => required(column).defaultTo('tool')
  const of = (table: string) => ({
    add: (type: 'text' | 'bigint', name: string, build = (column: ColumnDefinitionBuilder) => column) =>
      db.schema.alterTable(table).addColumn(name, type, build),
  })
  const [grant, request] = [of('api_grant'), of('authorization_request')]
  return [
    ...tables(db),
    grant.add('text', 'kind', kind),
    grant.add('bigint', 'is_offline', flag),
    grant.add('bigint', 'auth_time'),
    grant.add('text', 'session_id'),
    db.schema.createIndex('api_grant_client').on('api_grant').columns(['client_id', 'expires_at']),
    request.add('text', 'kind', kind),
    request.add('bigint', 'is_offline', flag),
    request.add('text', 'nonce'),
    request.add('text', 'session_id'),
    request.add('bigint', 'proof_after'),
    request.add('bigint', 'auth_time'),
    db.schema.createIndex('authorization_request_client').on('authorization_request').column('client_id'),
  ]
}

function tables(db: Db) {
  return [
    db.schema
      .createTable('application')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['name', 'kind', 'redirect_uris', 'post_logout_redirect_uris'], required))
      .$call(columns('text', ['scopes', 'id_token_algorithm'], required))
      .$call(columns('text', ['logo_url', 'home_url', 'secret_hash']))
      .$call(columns('bigint', ['skip_consent'], zero))
      .$call(columns('bigint', ['created_at', 'updated_at'], required)),
    db.schema.createIndex('application_newest').on('application').columns(['created_at', 'id']),
    db.schema
      .createTable('product_scope')
      .$call(columns('text', ['scope'], primary))
      .$call(columns('text', ['description'], required))
      .$call(columns('bigint', ['created_at'], required)),
    db.schema
      .createTable('consent')
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['client_id', 'scopes'], required))
      .$call(columns('bigint', ['created_at'], required))
      .addPrimaryKeyConstraint('consent_key', ['user_id', 'client_id']),
    db.schema.createIndex('consent_client').on('consent').column('client_id'),
  ]
}
