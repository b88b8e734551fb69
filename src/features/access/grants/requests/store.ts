import type { AuthorizationRequestTable, ConsentTable } from '../../../../database/schema/products/grants.ts'
import { lockRows } from '../../../../database/sql/row-lock.ts'
import { sweepRows } from '../../../../database/sql/sweep-rows.ts'
import { ConstraintViolation, type Meta } from '../../../../database/store.ts'
import type { Caller } from '../../../../rules/caller.ts'

/**
 * False if the user code is taken, or the user has been deleted: the foreign key waits for a deletion under way.
 */
export async function insertRequest(meta: Meta, row: AuthorizationRequestTable): Promise<boolean> {
  try {
    const made = await meta
      .insertInto('authorization_request')
      .values(row)
      .onConflict((conflict) => conflict.column('user_code').doNothing())
      .returning('id')
      .execute()
    return made.length === 1
  } catch (error) {
    if (error instanceof ConstraintViolation && error.kind === 'foreign-key') return false
    throw error
  }
}

/** Locks the request for the session that begins it: the code is valid for the first one that does. */
export function lockedByUserCode(meta: Meta, userCode: string, now: number) {
  return meta
    .selectFrom('authorization_request')
    .select(['id', 'session_id'])
    .where('user_code', '=', userCode)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .$call(lockRows(meta))
}

export function beginRequest(meta: Meta, id: string, by: { readonly user_id: string; readonly session_id: string }) {
  return meta.updateTable('authorization_request').set(by).where('id', '=', id)
}

/** Begun by this user, and if a device waits for it, in this session. */
function pendingOf(db: Pick<Meta, 'selectFrom'>, id: string, { user, credential }: Caller, now: number) {
  return db
    .selectFrom('authorization_request')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .where('user_id', '=', user.id)
    .where((eb) => eb.or([eb('flow', '=', 'code'), eb('session_id', '=', credential.id)]))
}

export function pendingFor(meta: Meta, id: string, caller: Caller, now: number) {
  return pendingOf(meta.primary, id, caller, now).executeTakeFirst()
}

/** Locked for a decision. */
export function lockedPending(meta: Meta, id: string, caller: Caller, now: number) {
  return pendingOf(meta, id, caller, now).$call(lockRows(meta))
}

export interface Outcome {
  readonly state: 'approved' | 'denied'
  readonly user_id: string
  readonly auth_time: number | null
  readonly session_id: string | null
  /** Set for an approved code flow; `expires_at` is then the code's. */
  readonly code_hash?: string
  readonly expires_at?: number
}

export function setOutcome(meta: Meta, id: string, outcome: Outcome) {
  return meta.updateTable('authorization_request').set(outcome).where('id', '=', id)
}

export async function consentOf(meta: Meta, userId: string, clientId: string): Promise<readonly string[]> {
  const row = await meta.primary
    .selectFrom('consent')
    .select('scopes')
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return row ? row.scopes.split(' ') : []
}

/** Locked for a decision: it is not withdrawn before the commit. */
export function lockedConsent(meta: Meta, userId: string, clientId: string) {
  return meta
    .selectFrom('consent')
    .select('scopes')
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .$call(lockRows(meta))
}

export function keepConsent(meta: Meta, row: ConsentTable) {
  const { scopes, created_at } = row
  return meta
    .insertInto('consent')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'client_id']).doUpdateSet({ scopes, created_at }))
}

export function deleteRequestsBefore(meta: Meta, before: number, flow?: 'device'): Promise<void> {
  return sweepRows(meta, 'authorization_request', 'id', (row) =>
    row.and([row('expires_at', '<=', before), ...(flow ? [row('flow', '=', flow)] : [])]),
  )
}
