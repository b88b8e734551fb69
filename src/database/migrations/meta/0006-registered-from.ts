import type { Db } from '../migrate.ts'

/** The network a client registered itself from. Unknown for clients registered by older programs. */
export function registeredFrom({ schema }: Db) {
  return [schema.alterTable('application').addColumn('registered_from', 'text')]
}
