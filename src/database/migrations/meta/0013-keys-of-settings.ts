import type { Db } from '../migrate.ts'

/** What an older program makes has no key. */
export function keysOfSettings({ schema }: Db) {
  return (['application', 'webhook'] as const).flatMap((table) => [
    schema.alterTable(table).addColumn('key', 'text'),
    schema.createIndex(`${table}_key`).on(table).column('key').unique(),
  ])
}
