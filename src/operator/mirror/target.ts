import { type Connection, connectTo } from '../named-database/connection.ts'

export const WHOSE = 'the product’s database'
/** More than the server's own limit for a statement. */
const ANSWER_MILLISECONDS = 150_000

export function connectToProduct(addresses: readonly string[]): Promise<Connection> {
  return connectTo(addresses, { name: 'gatehouse mirror', answerMilliseconds: ANSWER_MILLISECONDS })
}

/**
 * Whatever the role or the database has set: waiting has an end, a policy that would hide rows is an error, and what
 * one statement sees is what was committed before it. The search path stays, because the product's triggers use it.
 */
const BEGIN = `begin isolation level read committed read write;
  set local lock_timeout = '10s'; set local statement_timeout = '120s';
  set local idle_in_transaction_session_timeout = '120s'; set local row_security = off`

export async function inTransaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.query(BEGIN)
  try {
    const result = await work()
    await connection.query('commit')
    return result
  } catch (error) {
    // The connection may be gone, which ends the transaction too; the first error says why.
    await connection.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Returns whether no other mirror holds the schema; the lock ends with the connection. */
export async function takeSchema(connection: Connection, schema: string): Promise<boolean> {
  const { rows } = await connection.query(
    'select pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended(cast($1 as text), 0)) as is_taken',
    [`gatehouse mirror ${schema}`],
  )
  return rows[0]?.is_taken === true
}
