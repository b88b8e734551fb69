import { type Kysely, sql } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { integer } from '../../../database/sql/integer.ts'
import { applicationsWithLogout } from '../clients/statements.ts'

/**
 * After the statement that makes the grant. Only for an application that wants to be told, and once a session. The
 * grant is locked, having just been made; if the application's address is withdrawn meanwhile, nothing reads the row.
 */
export function noteSignIn(db: Kysely<MetaTables>, grantId: string, now: number) {
  return db
    .insertInto('application_sign_in')
    .columns(['application_id', 'session_id', 'user_id', 'created_at'])
    .expression(
      db
        .selectFrom('api_grant')
        .select([
          'api_grant.client_id',
          sql<string>`api_grant.session_id`.as('session_id'),
          'api_grant.user_id',
          integer(now).as('created_at'),
        ])
        .where('api_grant.id', '=', grantId)
        .where('api_grant.session_id', 'is not', null)
        .where('api_grant.client_id', 'in', applicationsWithLogout(db)),
    )
    .onConflict((conflict) => conflict.columns(['application_id', 'session_id']).doNothing())
}
