import type { Kysely } from 'kysely'
import { prepared } from '../../../../database/prepared.ts'
import type { AuthorizationRequestTable, ConsentTable } from '../../../../database/schema/products/grants.ts'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import { lockRows } from '../../../../database/sql/row-lock.ts'
import { sweepRows } from '../../../../database/sql/sweep-rows.ts'
import { ConstraintViolation, type Meta } from '../../../../database/store.ts'
import type { Caller } from '../../../../rules/caller.ts'

type Db = Kysely<MetaTables>

/**
 * Returns false if the user code is taken or the user was deleted: the foreign key waits for a deletion in progress.
 */
export async function insertRequest(meta: Meta, row: AuthorizationRequestTable): Promise<boolean> {
  try {
    const made = await meta.run(inserted(meta, row))
    return made.length === 1
  } catch (error) {
    if (error instanceof ConstraintViolation && error.kind === 'foreign-key') return false
    throw error
  }
}

const NEW_REQUEST: AuthorizationRequestTable = {
  ...{ id: '', flow: 'code', state: 'pending', client_id: '', client_name: '', target_origin: '', kind: 'tool' },
  ...{ resource: null, scopes: '', is_offline: 0, nonce: null, proof_after: null, only_sign_in: 0, auth_time: null },
  ...{ session_id: null, user_id: null, grant_id: null, redirect_uri: null, client_state: null, response_mode: null },
  ...{ code_challenge: null, code_hash: null, user_code: null, device_code_hash: null, interval_seconds: 0 },
  ...{ organization_id: null, last_polled_at: null, ip: '', user_agent: '', created_at: 0, expires_at: 0 },
}

/** In a decision, the user must be locked. */
export const inserted = prepared(NEW_REQUEST, (db: Db, row) =>
  db
    .insertInto('authorization_request')
    .values(row)
    .onConflict((conflict) => conflict.column('user_code').doNothing())
    .returning('id'),
)

/** Locks the request for the session that begins it: the code is valid for the first one that does. */
export const lockedByUserCode = prepared({ userCode: '', now: 0 }, (db: Db, { userCode, now }) =>
  db
    .selectFrom('authorization_request')
    .select(['id', 'session_id'])
    .where('user_code', '=', userCode)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .$call(lockRows(db)),
)

export const beginRequest = prepared({ id: '', user_id: '', session_id: '' }, (db: Db, { id, user_id, session_id }) =>
  db.updateTable('authorization_request').set({ user_id, session_id }).where('id', '=', id),
)

interface Begun {
  readonly id: string
  readonly userId: string
  readonly sessionId: string
  readonly now: number
}

const BEGUN: Begun = { id: '', userId: '', sessionId: '', now: 0 }

/** The user must have begun the request, and in this session if a device waits for it. */
function pendingOf(db: Db, { id, userId, sessionId, now }: Begun) {
  return db
    .selectFrom('authorization_request')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('flow', '=', 'code'), eb('session_id', '=', sessionId)]))
}

export async function pendingFor({ primary }: Meta, id: string, caller: Caller, now: number) {
  const [request] = await primary.run(pending(primary, begunBy(id, caller, now)))
  return request
}

const pending = prepared(BEGUN, pendingOf)

/** Locks the request. Returns no row if it has been decided or has expired. */
export function lockedPending(meta: Meta, id: string, caller: Caller, now: number) {
  return pendingLocked(meta, begunBy(id, caller, now))
}

const pendingLocked = prepared(BEGUN, (db: Db, begun) => pendingOf(db, begun).$call(lockRows(db)))

function begunBy(id: string, { user, credential }: Caller, now: number): Begun {
  return { id, userId: user.id, sessionId: credential.id, now }
}

export interface RequestOutcome {
  readonly state: 'approved' | 'denied'
  readonly user_id: string
  readonly organization_id: string | null
  readonly auth_time: number | null
  readonly session_id: string | null
  /** Null unless a code flow is approved; `expires_at` is then the code's. */
  readonly code_hash: string | null
  readonly expires_at: number
}

const OUTCOME: RequestOutcome = {
  state: 'denied',
  user_id: '',
  organization_id: null,
  auth_time: null,
  session_id: null,
  code_hash: null,
  expires_at: 0,
}

export const setOutcome = prepared({ id: '', ...OUTCOME }, (db: Db, { id, ...outcome }) =>
  db.updateTable('authorization_request').set(outcome).where('id', '=', id),
)

interface ConsentKey {
  readonly userId: string
  readonly clientId: string
}

const CONSENT_KEY: ConsentKey = { userId: '', clientId: '' }
function consent(db: Db, { userId, clientId }: ConsentKey) {
  return db
    .selectFrom('consent')
    .select(['scopes', 'organization_id'])
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
}

const consentGiven = prepared(CONSENT_KEY, consent)

export async function consentOf({ primary }: Meta, key: ConsentKey) {
  const [row] = await primary.run(consentGiven(primary, key))
  return row
}

/** The lock keeps the consent from being withdrawn before the commit. */
export const lockedConsent = prepared(CONSENT_KEY, (db: Db, key) => consent(db, key).$call(lockRows(db)))

const CONSENT: ConsentTable = { user_id: '', client_id: '', scopes: '', organization_id: null, created_at: 0 }

export const keepConsent = prepared(CONSENT, (db: Db, row) => {
  const { user_id: _, client_id: __, ...given } = row
  return db
    .insertInto('consent')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'client_id']).doUpdateSet(given))
})

export function deleteRequestsBefore(meta: Meta, before: number, flow?: 'device'): Promise<void> {
  return sweepRows(meta, 'authorization_request', 'id', (row) =>
    row.and([row('expires_at', '<=', before), ...(flow ? [row('flow', '=', flow)] : [])]),
  )
}
