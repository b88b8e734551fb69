import { sql } from 'kysely'
import { columns, primary, required, unlogged } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function instance(db: Db) {
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
