import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { onOneLine } from '../../rules/one-line.ts'
import { OperatorError } from '../../rules/operator-error.ts'

// A database that the operator names in a command, beside the stores.

/** What the commands need of a driver's connection; a test puts another in its place. */
export interface Connection {
  query(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: Record<string, unknown>[]; readonly rowCount: number | null }>
  end(): Promise<void>
}

export type Connect = () => Promise<Connection>

const CONNECT_MILLISECONDS = 5_000
const CLOSE_MILLISECONDS = 1_000

/** Connects to the server that takes writes, of the hosts that the address names. */
export async function connectTo(
  addresses: readonly string[],
  { name, answerMilliseconds }: { readonly name: string; readonly answerMilliseconds: number },
): Promise<Connection> {
  let fault: unknown = new OperatorError('no server of the address takes writes')
  for (const address of addresses) {
    const client = new pg.Client({
      connectionString: address,
      application_name: name,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
      query_timeout: answerMilliseconds,
    })
    // A lost connection also fails the statement that runs, or the next one.
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query('select pg_catalog.pg_is_in_recovery() as is_replica')
      if (rows[0]?.is_replica === false) return client as unknown as Connection
      await client.end()
    } catch (error) {
      fault = error
      await client.end().catch(() => undefined)
    }
  }
  throw fault
}

/** What the database refused, or that it is gone. */
export class DatabaseFault extends Error {
  override readonly name = 'DatabaseFault'
  /** PostgreSQL's own code, if it was PostgreSQL that refused. */
  readonly code: string | undefined

  constructor(whose: string, cause: unknown) {
    super(`${whose}: ${wordsOf(cause)}`, { cause })
    this.code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  }
}

/** In one line, with the name of what refused and without the refused values. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { table, constraint, code } = error as Error &
    Readonly<Record<'table' | 'constraint' | 'code', string | undefined>>
  const where = [table && `table ${quoted(table)}`, constraint && `constraint ${quoted(constraint)}`].filter(Boolean)
  const line = onOneLine(error.message || code || error.name)
  return where.length === 0 ? line : `${line} (${where.join(', ')})`
}

/** The same connection, whose failures can be told from ours. */
export async function opened(connect: Connect, whose: string): Promise<Connection> {
  const fault = (error: unknown): never => {
    throw error instanceof OperatorError ? error : new DatabaseFault(whose, error)
  }
  const connection = await connect().catch(fault)
  return {
    query: (text, values) => connection.query(text, values).catch(fault),
    // What is lost cannot be closed in order, and what lost it has been said.
    end: () =>
      Promise.race([connection.end().catch(() => undefined), wait(CLOSE_MILLISECONDS, undefined, { ref: false })]),
  }
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
