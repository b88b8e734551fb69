import type { Expression, Kysely } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'

/** Keeps the used code of a user who is being deleted, which the cascade would delete. */
export function keepCodeUsedBy(meta: Meta, userId: string) {
  return meta.updateTable('beta_codes').set({ used_by: null }).where('used_by', '=', userId)
}

export function codesOf(meta: Meta, userId: string) {
  return meta.selectFrom('beta_codes').select(['code', 'used_at']).where('used_by', '=', userId)
}

/** A column for another query: the code that the user has entered, of which there is one at most. */
export function betaCodeOf(db: Kysely<MetaTables>, userId: Expression<string>) {
  return db.selectFrom('beta_codes').select('beta_codes.code').where('beta_codes.used_by', '=', userId)
}
