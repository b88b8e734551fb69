import type { Db } from '../migrate.ts'

/** The provider's name for the user; unknown for users from before, and for sign-ups through an older program. */
export function userHandle({ schema }: Db) {
  return [schema.alterTable('user').addColumn('handle', 'text')]
}
