import { type Kysely, sql } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Meta } from '../../../database/store.ts'
import { emailOf } from '../../people/users/statements.ts'
import { accessLifetimeSeconds } from './lifetimes.ts'

/** A row if any user has agreed to the application, which must be locked: each consent is written under its lock. */
export function consentTo(db: Kysely<MetaTables>, clientId: string) {
  return db.selectFrom('consent').select('user_id').where('client_id', '=', clientId).limit(1)
}

/** The users who have agreed to an application or have given it access that still lasts. */
export function usersOfClient(meta: Meta, clientId: string, now: number) {
  const agreed = meta.selectFrom('consent').select('user_id').where('client_id', '=', clientId)
  const holding = meta
    .selectFrom('api_grant')
    .select('user_id')
    .where('client_id', '=', clientId)
    .where('kind', '=', 'application')
    .where('expires_at', '>', now)
    .where('revoked_at', 'is', null)
  return meta.selectFrom(agreed.union(holding).as('connected')).select((eb) => eb.fn.countAll<number>().as('users'))
}

const SHOWN = 10
const AMONG = 200

/**
 * Each sign-in at an application makes a grant. One without refresh tokens ends so soon that the index by expiry has
 * the newest first; of the others it has those first that were used last.
 */
export function latestSignInsAt(meta: Meta, clientId: string, now: number) {
  const grants = meta
    .selectFrom('api_grant')
    .select(['id', 'user_id', 'created_at'])
    .where('client_id', '=', clientId)
    .where('kind', '=', 'application')
    .orderBy('expires_at', 'desc')
    .limit(AMONG)
  const lasting = meta.selectFrom(grants.as('lasting')).selectAll()
  const short = meta
    .selectFrom(grants.where('expires_at', '<=', now + accessLifetimeSeconds * 1000).as('short'))
    .selectAll()
  return meta
    .selectFrom(lasting.union(short).as('signed_in'))
    .select(['user_id', 'created_at as at'])
    .select((eb) => sql<string>`${emailOf(meta, eb.ref('signed_in.user_id'))}`.as('email'))
    .orderBy('signed_in.created_at', 'desc')
    .orderBy('signed_in.id', 'desc')
    .limit(SHOWN)
}
