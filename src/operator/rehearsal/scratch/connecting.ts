import { OperatorError } from '../../../rules/operator-error.ts'
import { type Connection, connectTo, DatabaseFault, opened } from '../../named-database/connection.ts'

/** An answer may take any time. */
export const AS_REHEARSAL = { name: 'gatehouse rehearse', answerMilliseconds: 0 }

/** A refusal by the database ends the rehearsal, which tells it in one line. */
export async function connected(whose: string, addresses: readonly string[]): Promise<Connection> {
  const refused = (error: unknown): never => {
    throw error instanceof DatabaseFault ? new OperatorError(error.message) : error
  }
  const { query, end } = await opened(() => connectTo(addresses, AS_REHEARSAL), whose).catch(refused)
  return { query: (text, values) => query(text, values).catch(refused), end }
}

/** Overrides what the role or the database has set: only the rehearsal waits here, and a policy must hide no row. */
export const NO_LIMITS = `select pg_catalog.set_config(name, case name when 'row_security' then 'off' else '0' end, is_local)
  from pg_catalog.pg_settings, lateral (values ($1::boolean)) as of_transaction (is_local)
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout',
    'transaction_timeout', 'row_security')`
