import type { Db } from '../migrate.ts'

/** The block of addresses that a client registered itself from. Unknown for those that older programs registered. */
export function registeredFrom({ schema }: Db) {
  return [schema.alterTable('application').addColumn('registered_from', 'text')]
}
