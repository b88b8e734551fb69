import { type Compilable, type Expression, sql } from 'kysely'
import { batchBehind, type Guard } from '../../../database/guard.ts'
import type { AuthorizationRequestTable, ConsentTable } from '../../../database/schema/products/grants.ts'
import { integer } from '../../../database/sql/integer.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import { ConstraintViolation, type Meta } from '../../../database/store.ts'
import { keepApplicationsUnchanged } from '../../clients/statements.ts'
import { lockUser } from '../../users/statements.ts'

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

export function pendingByUserCode(meta: Meta, userCode: string, now: number) {
  return meta.primary
    .selectFrom('authorization_request')
    .select('id')
    .where('user_code', '=', userCode)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Begun by this user, or by a device for the user who enters its code. */
export function pendingFor(meta: Meta, id: string, userId: string, now: number) {
  return meta.primary
    .selectFrom('authorization_request')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', '=', userId)]))
    .executeTakeFirst()
}

export interface Outcome {
  readonly state: 'approved' | 'denied'
  readonly user_id: string
  readonly auth_time: number | null
  readonly session_id: string | null
  /** For an approved code flow; `expires_at` is then the code's. */
  readonly code_hash?: string
  readonly expires_at?: number
}

interface Conditions {
  readonly now: number
  readonly onlyIf: Expression<unknown>
}

/**
 * A condition, once `decide` has locked what it reads: the request is undecided and in time, the user still
 * signed in.
 */
export function decidable(meta: Meta, id: string, userId: string, { now, onlyIf }: Conditions) {
  return meta
    .selectFrom('authorization_request')
    .select('authorization_request.id')
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', '=', userId)]))
    .where(({ exists }) => exists(onlyIf))
}

/** What else is in the batch of a decision. */
interface Alongside {
  /** Locks what the conditions are about. */
  readonly held: readonly Compilable<unknown>[]
  readonly before: Compilable<unknown>
  readonly after: readonly Compilable<unknown>[]
}

/**
 * False if it cannot be decided any more. Everything that the conditions read is locked first: the application,
 * which is changed or deleted before or after this, the user, what is `held`, and the request.
 */
export async function decide(
  meta: Meta,
  guard: Guard | undefined,
  { id, client_id }: Pick<AuthorizationRequestTable, 'id' | 'client_id'>,
  outcome: Outcome,
  conditions: Conditions,
  { held, before, after }: Alongside,
): Promise<boolean> {
  const decision = meta
    .updateTable('authorization_request')
    .set(outcome)
    .where('id', 'in', decidable(meta, id, outcome.user_id, conditions))
    .returning('id')
  const rows = await batchBehind(meta, guard, [
    keepApplicationsUnchanged(meta).where('application.id', '=', client_id),
    lockUser(meta, outcome.user_id),
    ...held,
    decidable(meta, id, outcome.user_id, conditions).$call(lockRows(meta)),
    before,
    decision,
    ...after,
  ])
  return rows.of(decision).length === 1
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

/** A condition: the user's consent is this one. */
export function consentTo(meta: Meta, userId: string, clientId: string, scopes: readonly string[]) {
  return meta
    .selectFrom('consent')
    .select('consent.user_id')
    .where('consent.user_id', '=', userId)
    .where('consent.client_id', '=', clientId)
    .where('consent.scopes', '=', scopes.join(' '))
}

/**
 * Only if the consent is still what was read: scopes that the user has withdrawn meanwhile do not come back.
 * The row's scopes are checked again after a wait; the approval is the batch's own, after `lockUser`.
 */
export function extendConsent(
  meta: Meta,
  { user_id, client_id, created_at }: Omit<ConsentTable, 'scopes'>,
  before: readonly string[],
  scopes: readonly string[],
  requestId: string,
) {
  return meta
    .updateTable('consent')
    .set({ scopes: scopes.join(' '), created_at })
    .where('user_id', '=', user_id)
    .where('client_id', '=', client_id)
    .where('scopes', '=', before.join(' '))
    .where(({ exists }) => exists(approved(meta, requestId, user_id).select('id')))
}

/** A condition: the batch has approved the request. */
function approved(meta: Meta, requestId: string, userId: string) {
  return meta
    .selectFrom('authorization_request')
    .where('id', '=', requestId)
    .where('state', '=', 'approved')
    .where('user_id', '=', userId)
}

/**
 * Inserts only if the request is approved and the user has no consent for the client yet. The approval is in the
 * same batch, after `lockUser`.
 */
export function rememberConsent(meta: Meta, row: ConsentTable, requestId: string) {
  const { scopes, created_at } = row
  return meta
    .insertInto('consent')
    .columns(['user_id', 'client_id', 'scopes', 'created_at'])
    .expression(
      approved(meta, requestId, row.user_id).select([
        sql<string>`user_id`.as('user_id'),
        'client_id',
        sql.val(scopes).as('scopes'),
        integer(created_at).as('created_at'),
      ]),
    )
    .onConflict((conflict) => conflict.columns(['user_id', 'client_id']).doNothing())
}
