import type { Db } from '../migrate.ts'

/** The refusal code of a grant's call. */
export function refusedActs({ schema }: Db) {
  return [schema.alterTable('grant_act').addColumn('code', 'text')]
}
