import { sql } from 'kysely'
import { columns, required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

/** Which applications a user has signed in to in a session, and what is sent to them when it ends. */
export function signInsOfApplications(db: Db) {
  return [
    db.schema.alterTable('authorization_request').addColumn('only_sign_in', 'bigint', zero),
    db.schema
      .createTable('application_sign_in')
      .$call(columns('text', ['application_id', 'session_id', 'user_id'], required))
      .$call(columns('bigint', ['created_at'], required))
      .addPrimaryKeyConstraint('application_sign_in_key', ['application_id', 'session_id']),
    db.schema
      .createIndex('application_sign_in_user')
      .on('application_sign_in')
      .columns(['application_id', 'user_id']),
    db.schema
      .alterTable('webhook')
      .addColumn('application_id', 'text', (column) =>
        column.references('application.id').onDelete('cascade'),
      ),
    db.schema.createIndex('webhook_application').unique().on('webhook').column('application_id'),
    db.schema
      .createIndex('application_logout')
      .on('application')
      .column('id')
      .where(sql<boolean>`backchannel_logout_uri is not null`),
    db.schema
      .createIndex('api_grant_session')
      .on('api_grant')
      .column('session_id')
      .where(sql<boolean>`session_id is not null and is_offline = 0`),
  ]
}
