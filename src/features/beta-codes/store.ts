import { sql } from 'kysely'
import type { Meta } from '../../platform/store.ts'

/** Only where the user is there: runs in the batch that makes the user. */
export function insertUsed(meta: Meta, code: string, userId: string, now: number) {
  return meta
    .insertInto('beta_codes')
    .columns(['code', 'used_by', 'created_at', 'used_at'])
    .expression((db) =>
      db
        .selectFrom('user')
        .select([
          sql.val(code).as('code'),
          'user.id as used_by',
          sql<number>`cast(${now} as bigint)`.as('created_at'),
          sql<number>`cast(${now} as bigint)`.as('used_at'),
        ])
        .where('user.id', '=', userId),
    )
}
