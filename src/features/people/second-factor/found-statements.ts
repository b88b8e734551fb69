import type { Kysely } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { foundAs } from '../../../database/sql/found.ts'

/** For the administrator's search. It takes no lock. */
export function foundPasskey(db: Kysely<MetaTables>, id: string) {
  return db
    .selectFrom('passkey')
    .select(['id', 'name as title', 'user_id as owner_id', 'last_used_at', ...foundAs('passkey', 'scopes')])
    .where((eb) => eb.or([eb('id', '=', id), eb('credential_id', '=', id)]))
}
