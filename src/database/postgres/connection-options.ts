import type pg from 'pg'
import { addressesOf } from '../../config/addresses.ts'

/** The options for one host. */
export function connectionOptions(url: string): pg.ClientConfig {
  return isPgBouncer(url) ? { ...commonOptions(url), ...POOLED } : { ...commonOptions(url), ...DIRECT }
}

/** `?pgbouncer=true` in the address: a PgBouncer in transaction mode is in front of the server. */
export function isPgBouncer(url: string): boolean {
  return addressesOf(url).some((one) => new URL(one).searchParams.get('pgbouncer') === 'true')
}

/** Each `host:port` of the address. */
export function hostsOf(url: string): string {
  const hosts = addressesOf(url).map((one) => {
    const { host, port } = new URL(one)
    return port === '' ? `${host}:5432` : host
  })
  return hosts.join(',')
}

function commonOptions(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'gatehouse',
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBE_MILLISECONDS,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    types: { getTypeParser: parserOf },
  }
}

/** A migration has no other limit: it notices in half a minute that the server's machine is gone. */
const PROBE_MILLISECONDS = 10_000
const CONNECT_MILLISECONDS = 1_500
const STATEMENT_MILLISECONDS = 10_000
const LOCK_MILLISECONDS = 5_000

/** A PgBouncer ignores our timeouts, and lets a statement wait for a server that is gone. */
const POOLED: pg.ClientConfig = { query_timeout: 5_000 }

const DIRECT: pg.ClientConfig = {
  pipeline: true,
  statement_timeout: STATEMENT_MILLISECONDS,
  lock_timeout: LOCK_MILLISECONDS,
  idle_in_transaction_session_timeout: STATEMENT_MILLISECONDS,
}

const BOOLEAN = 16
const INTEGERS: ReadonlySet<number> = new Set([20, 21, 23])
const FRACTIONS: ReadonlySet<number> = new Set([700, 701, 1700])

/** The same values as from SQLite: a number for every number, 0 or 1 for a boolean. */
function parserOf(type: number): (text: string) => unknown {
  if (INTEGERS.has(type)) return exactNumber
  if (FRACTIONS.has(type)) return Number
  return type === BOOLEAN ? (text) => (text === 't' ? 1 : 0) : (text) => text
}

function exactNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond exact numbers`)
  return value
}
