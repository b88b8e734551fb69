import type { Kysely } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { contains } from '../../../database/sql/conditions.ts'
import { foundAs } from '../../../database/sql/found.ts'

// For the administrator's search. They take no lock.

type Db = Kysely<MetaTables>

const MOST = 5

export function foundApplication(db: Db, id: string) {
  return applications(db, 'application').where('id', '=', id)
}

/** Only those that the administrator registered have one. */
export function foundApplicationSecret(db: Db, hash: string) {
  return applications(db, 'application_secret').where('origin', '=', 'administrator').where('secret_hash', '=', hash)
}

/** Those that the administrator registered; anybody can register the others, under any name. */
export function foundApplicationsNamed(db: Db, part: string) {
  return applications(db, 'application')
    .where('origin', '=', 'administrator')
    .where((eb) => eb.and([...contains(db, 'name', part)]))
    .orderBy('name')
    .orderBy('id')
    .limit(MOST)
}

function applications(db: Db, kind: 'application' | 'application_secret') {
  return db
    .selectFrom('application')
    .select(['id', 'name as title', 'scopes', ...foundAs(kind, 'owner_id', 'last_used_at')])
}
