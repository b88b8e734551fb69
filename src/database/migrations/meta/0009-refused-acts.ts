import type { Db } from '../migrate.ts'

/** Why a call of a grant was refused. */
export function refusedActs({ schema }: Db) {
  return [schema.alterTable('grant_act').addColumn('code', 'text')]
}
