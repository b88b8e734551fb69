import type { StoreClock } from '../store.ts'
import type { PgConnection } from './pg-connection.ts'
import type { Statement } from './statements.ts'
import { BEGIN, ROLLBACK } from './transaction.ts'

/** Some hosts set this when a disk is nearly full, and some operators when they move a database. */
const READ_ONLY: Statement = { text: 'show transaction_read_only', values: [], isRead: true }
const CLOCK: Statement = {
  text: 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
  values: [],
  isRead: true,
}
const NEEDS_ROOM: Statement = {
  text: `create temporary table gatehouse_probe on commit drop as
    select md5(n::text) as filling from generate_series(1, 4000) as n`,
  values: [],
  isRead: false,
}

export async function takesWrites(connection: PgConnection): Promise<boolean> {
  const { rows } = await connection.run(READ_ONLY)
  return rows[0].transaction_read_only === 'off'
}

export async function clockOf(connection: PgConnection): Promise<StoreClock> {
  const asked = performance.now()
  const { rows } = await connection.run(CLOCK)
  return { at: Number(rows[0].now), roundTripMilliseconds: performance.now() - asked }
}

/** Fails if the server has no room; leaves nothing behind. Call it outside a transaction. */
export async function useRoom(connection: PgConnection): Promise<void> {
  const outcomes = await Promise.allSettled([BEGIN, NEEDS_ROOM, ROLLBACK].map((one) => connection.run(one)))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
}
