import type { Db } from '../migrate.ts'

/** What a provider calls the user. Unknown for those who signed up before, or through an older program. */
export function userHandle({ schema }: Db) {
  return [schema.alterTable('user').addColumn('handle', 'text')]
}
