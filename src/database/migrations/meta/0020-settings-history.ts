import { required } from '../columns.ts'
import type { Db } from '../migrate.ts'

export function settingsHistory(db: Db) {
  return [
    db.schema.alterTable('settings').addColumn('history', 'text', (column) => required(column).defaultTo('')),
  ]
}
