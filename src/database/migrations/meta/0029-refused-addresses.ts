import { columns, required } from '../columns.ts'
import type { Db } from '../migrate.ts'

/** A table of its own, since an index on the log would be made while no process can serve. */
export function refusedAddresses(db: Db) {
  return [
    db.schema
      .createTable('refused_address')
      .addColumn('event_id', 'text', (column) =>
        column.notNull().primaryKey().references('event.id').onDelete('cascade'),
      )
      .$call(columns('text', ['address_hash', 'masked'], required)),
    db.schema.createIndex('refused_address_hash').on('refused_address').column('address_hash'),
  ]
}
