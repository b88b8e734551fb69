import type { Db } from '../migrate.ts'

/** Unknown for the accounts that exist: their last sign-in, and the sessions and grants that remain, say when they were used. */
export function notedUse({ schema }: Db) {
  return [schema.alterTable('user').addColumn('noted_use_at', 'bigint', (column) => column.notNull().defaultTo(0))]
}
