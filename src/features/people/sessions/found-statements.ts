import type { Kysely } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { foundAs } from '../../../database/sql/found.ts'

// For the administrator's search. They take no lock.

type Db = Kysely<MetaTables>

export function foundSession(db: Db, by: 'id' | 'token_hash', value: string, now: number) {
  return db
    .selectFrom('session')
    .select(['id', 'user_agent as title', 'user_id as owner_id', 'last_used_at', ...foundAs('session', 'scopes')])
    .where(by, '=', value)
    .where('expires_at', '>', now)
}

export function foundTrustedDevice(db: Db, by: 'id' | 'token_hash', value: string, now: number) {
  return db
    .selectFrom('trusted_device')
    .select(['id', 'user_agent as title', 'user_id as owner_id', 'last_used_at'])
    .select(foundAs('trusted_device', 'scopes'))
    .where(by, '=', value)
    .where('expires_at', '>', now)
}

/** A sign-in that waits for its second step has no id of its own. */
export function foundPendingSignIn(db: Db, tokenHash: string, now: number) {
  return db
    .selectFrom('pending_sign_in')
    .select(['user_id as id', 'first_step as title', 'user_id as owner_id'])
    .select(foundAs('pending_sign_in', 'scopes', 'last_used_at'))
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
}
