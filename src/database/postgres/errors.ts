import { DatabaseError } from 'pg'
import { ConstraintViolation, type HostFailure, StoreUnavailable, TookTooLong } from '../store.ts'

const CONSTRAINT_KIND: ReadonlyMap<string, ConstraintViolation['kind']> = new Map([
  ['23505', 'unique'],
  ['23503', 'foreign-key'],
  ['23502', 'not-null'],
])

// Connection, a statement whose preparation failed, authorization, deadlock, resources, locks and time limits, operator,
// system, internal; then a read-only server, a missing database or schema.
const UNAVAILABLE = /^(08|26|28|40|53|55|57|58|XX|25006|25P03|3D|3F)/

/** The driver's error as one of the store port's errors. */
export function translated(store: string, error: unknown): unknown {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof TookTooLong) return error
  if (!(error instanceof DatabaseError)) return new StoreUnavailable(store, { cause: plainest(error) })
  const explanation = explained(error)
  if (explanation) return new StoreUnavailable(store, { cause: explanation })
  const code = error.code ?? ''
  if (code.startsWith('23')) return violation(error, CONSTRAINT_KIND.get(code) ?? 'other')
  return UNAVAILABLE.test(code) ? new StoreUnavailable(store, { cause: error }) : error
}

/** The error with a hint for the operator; undefined for an error that has none. */
function explained(error: DatabaseError): Error | undefined {
  if (error.code === '08P01' && error.message.includes('startup parameter'))
    return new Error(PGBOUNCER_HINT, { cause: error })
  const hint = isFromReplica(error) ? REPLICA_HINT : HINTS.get(error.code ?? '')
  return hint === undefined ? undefined : new Error(`${error.message}: ${hint}`, { cause: error })
}

function violation(error: DatabaseError, kind: ConstraintViolation['kind']): ConstraintViolation {
  const { table, column, message } = error
  return new ConstraintViolation({ kind, table, column }, message, { cause: error })
}

const HINTS: ReadonlyMap<string, string> = new Map([
  [
    '42501',
    'run `gatehouse prepare` as the owner of the tables, and grant this role select, insert, update and delete on all of them',
  ],
  ['3F000', 'the schema in the address must exist, and this role needs usage on it'],
])

const REPLICA_HINT = 'it is a replica; give the address of its primary'

/**
 * Each connection to a primary begins by reading its position in the log. The code alone could also mean a database
 * that takes no connections, and the message is in the server's language.
 */
function isFromReplica({ code, routine }: DatabaseError): boolean {
  return code === '55000' && routine?.startsWith('pg_current_wal') === true
}

const PGBOUNCER_HINT =
  'it is behind a PgBouncer: add pgbouncer=true to the address, as in postgres://…/gatehouse?pgbouncer=true'

/** A name with several addresses fails with one error for each. */
function plainest(error: unknown): Error {
  const plain: unknown = error instanceof AggregateError ? error.errors[0] : error
  return plain instanceof Error ? plain : new Error(String(plain))
}

/** What one of several hosts said. */
export function hostFailure(at: string, error: unknown): HostFailure {
  if (!(error instanceof DatabaseError)) return { at, isAlive: false, reason: plainest(error) }
  if (isFromReplica(error)) return { at, isAlive: false, reason: new Error('it is a replica', { cause: error }) }
  return { at, isAlive: true, reason: explained(error) ?? error }
}

export function isFullDisk(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.code === '53100'
}

export function isReadOnly(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '25006'
}

/** The statement was refused because an earlier one of its transaction was refused. */
export function isInAbortedTransaction(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '25P02'
}

/** The server's time limit, or our cancellation. */
export function isCancelled(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57014'
}

/**
 * The server no longer has the prepared statement, or its tables changed since. It was refused
 * before any of it ran, so it can be prepared again.
 */
export function isStalePlan(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false
  return error.code === '26000' || (error.code === '0A000' && error.message.includes('cached plan'))
}
