import { sql } from 'kysely'
import { by, columns, primary, required, unlogged } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function instanceTables(db: Db) {
  return [...instance(db), ...settings(db), ...shards(db), ...keyValue(db), ...rowCounts(db)]
}

function instance(db: Db) {
  return [
    db.schema
      .createTable('instance')
      .$call(columns('text', ['name'], primary))
      .$call(columns('text', ['value'], required)),
  ]
}

function settings(db: Db) {
  return [
    db.schema
      .createTable('settings')
      .$call(columns('text', ['id'], (column) => column.notNull().primaryKey().check(sql`id = 'global'`)))
      .$call(columns('text', ['authentication', 'email', 'credits', 'ai'], required))
      .$call(
        columns(
          'bigint',
          [
            'revision',
            'authentication_version',
            'email_version',
            'credits_version',
            'ai_version',
            'updated_at',
          ],
          required,
        ),
      )
      .$call(columns('text', ['token'], by('')))
      .$call(columns('text', ['brand'], by('{}')))
      .$call(columns('bigint', ['brand_version'], by(1)))
      .$call(columns('text', ['history'], by('')))
      .$call(columns('text', ['assistants'], by('{}')))
      .$call(columns('bigint', ['assistants_version'], by(1))),
  ]
}

function shards(db: Db) {
  return [
    db.schema
      .createTable('shards')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['region', 'state'], required))
      .$call(columns('bigint', ['created_at'], required)),
  ]
}

function keyValue(db: Db) {
  return [
    db.schema
      .createTable('key_value')
      .$call(unlogged(db))
      .$call(columns('text', ['key'], primary))
      .$call(columns('text', ['value'], required))
      .$call(columns('bigint', ['expires_at'], required)),
    db.schema.createIndex('key_value_expires').on('key_value').columns(['expires_at']),
  ]
}

function rowCounts(db: Db) {
  return [
    db.schema
      .createTable('row_counts')
      .$call(columns('text', ['kind', 'value'], required))
      .$call(columns('bigint', ['part', 'total'], required))
      .addPrimaryKeyConstraint('row_counts_key', ['kind', 'value', 'part']),
  ]
}
