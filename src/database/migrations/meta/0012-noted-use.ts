import type { Db } from '../migrate.ts'

/** Unknown for existing accounts: their last sign-in and their remaining sessions and grants say when they were used. */
export function notedUse({ schema }: Db) {
  return [schema.alterTable('user').addColumn('noted_use_at', 'bigint')]
}
