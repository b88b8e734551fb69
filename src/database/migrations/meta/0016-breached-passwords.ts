import type { Db } from '../migrate.ts'

/** Unknown until the next sign-in with a password. */
export function breachedPasswords({ schema }: Db) {
  return [schema.alterTable('account').addColumn('breached_at', 'bigint')]
}
