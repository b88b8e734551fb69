import { statement } from '../counting.ts'
import type { Db } from '../migrate.ts'

/** Events before the oldest that is stored can have been deleted already. */
export function sweptEvents({ schema }: Db) {
  return [
    schema.alterTable('event_order').addColumn('swept', 'bigint', (column) => column.notNull().defaultTo(0)),
    statement(
      `update event_order set swept =
         coalesce((select min(position) - 1 from event where position is not null), last)`,
    ),
  ]
}
