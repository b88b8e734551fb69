import { required } from '../columns.ts'
import type { Db } from '../migrate.ts'

/** What a token is for, clients that describe themselves, and the settings about them. */
export function assistants(db: Db) {
  const { schema } = db
  return [
    schema.alterTable('api_grant').addColumn('resource', 'text'),
    schema.alterTable('authorization_request').addColumn('resource', 'text'),
    schema.alterTable('access_token').addColumn('resource', 'text'),
    schema.alterTable('application').addColumn('resource', 'text'),
    schema.createIndex('application_resource').on('application').column('resource').unique(),
    schema
      .alterTable('application')
      .addColumn('origin', 'text', (column) => required(column).defaultTo('administrator')),
    schema.alterTable('application').addColumn('fresh_until', 'bigint'),
    schema.createIndex('application_origin').on('application').columns(['origin', 'updated_at']),
    schema
      .alterTable('settings')
      .addColumn('assistants', 'text', (column) => required(column).defaultTo('{}')),
    schema
      .alterTable('settings')
      .addColumn('assistants_version', 'bigint', (column) => required(column).defaultTo(1)),
  ]
}
