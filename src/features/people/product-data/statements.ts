import type { Expression, Kysely } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'
import type { ProductData } from '../../../rules/product-data.ts'

/** No row if nothing was ever saved. In a decision about a change, the user must be locked. */
export function userDataOf(db: Kysely<MetaTables>, userId: string) {
  return db.selectFrom('user_data').selectAll().where('user_id', '=', userId)
}

/** A column for another query: null if nothing was ever saved. */
export function publicOf(db: Kysely<MetaTables>, userId: Expression<string>) {
  return db.selectFrom('user_data').select('user_data.public').where('user_data.user_id', '=', userId)
}

/** The user must be locked, so that what was read is still there. */
export const saveUserData = statement((meta: Meta, user_id: string, data: ProductData) =>
  meta
    .insertInto('user_data')
    .values({ user_id, ...data })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet((eb) => ({
        public: eb.ref('excluded.public'),
        private: eb.ref('excluded.private'),
        own: eb.ref('excluded.own'),
        version: eb.ref('excluded.version'),
      })),
    ),
)
