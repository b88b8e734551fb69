import { required } from '../columns.ts'
import type { Db } from '../migrate.ts'

/** What applications need that others have written. */
export function clientsOfOthers(db: Db) {
  const add = (table: string) => db.schema.alterTable(table)
  return [
    add('application').addColumn('require_pkce', 'bigint', (column) => required(column).defaultTo(1)),
    add('application').addColumn('backchannel_logout_uri', 'text'),
    add('authorization_request').addColumn('response_mode', 'text'),
  ]
}
