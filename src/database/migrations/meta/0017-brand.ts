import { required } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function brand(db: Db) {
  return [
    db.schema.alterTable('settings').addColumn('brand', 'text', (column) => required(column).defaultTo('{}')),
    db.schema
      .alterTable('settings')
      .addColumn('brand_version', 'bigint', (column) => required(column).defaultTo(1)),
  ]
}
