import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseError } from 'pg'
import { type Connection, connectTo, quoted } from '../../named-database/connection.ts'
import type { Times } from '../copy.ts'
import { AS_REHEARSAL } from './connecting.ts'

const ASK_AGAIN_MILLISECONDS = 1
const LOCKED = '55P03'
const GONE = '42P01'

/** Asks again and again whether a write to one of the tables would have to wait, without waiting itself. */
export async function timedWithWaits(
  place: string,
  tables: readonly string[],
  change: () => Promise<unknown>,
): Promise<Times> {
  const connection = await connectTo([place], AS_REHEARSAL)
  try {
    const waits = new Waits()
    const done = new AbortController()
    const asking = askUntil(done.signal, connection, tables, waits)
    const began = performance.now()
    // Both are awaited, so that neither fails unseen when the other has failed.
    const changing = change().finally(() => done.abort())
    const [changed, asked] = await Promise.allSettled([changing, asking])
    const ms = Math.ceil(performance.now() - began)
    for (const end of [changed, asked]) if (end.status === 'rejected') throw end.reason
    return { ms, longest_lock_ms: Math.min(ms, Math.ceil(waits.longest)) }
  } finally {
    await connection.end()
  }
}

/** A wait begins when a write to a table is first refused, and ends when the next would be served. */
class Waits {
  readonly #since = new Map<string, number>()
  longest = 0

  noteLocked(table: string, at: number): void {
    if (!this.#since.has(table)) this.#since.set(table, at)
    this.#note(table)
  }

  noteFree(table: string): void {
    this.#note(table)
    this.#since.delete(table)
  }

  #note(table: string): void {
    const since = this.#since.get(table)
    if (since !== undefined) this.longest = Math.max(this.longest, performance.now() - since)
  }
}

async function askUntil(
  done: AbortSignal,
  connection: Connection,
  tables: readonly string[],
  waits: Waits,
): Promise<void> {
  let isLast = false
  while (tables.length > 0 && !isLast) {
    // It asks once more after the change, to see a wait end.
    isLast = done.aborted
    for (const table of tables) {
      const at = performance.now()
      const code = await refusalOf(connection, table)
      if (code === LOCKED) waits.noteLocked(table, at)
      else waits.noteFree(table)
    }
    await wait(ASK_AGAIN_MILLISECONDS)
  }
}

/** Undefined if a row could be written now: neither the table nor its first row is locked. */
async function refusalOf(connection: Connection, table: string): Promise<string | undefined> {
  const name = quoted(table)
  try {
    await connection.query(
      `begin; lock table ${name} in row exclusive mode nowait;
       select from ${name} limit 1 for no key update nowait; rollback`,
    )
    return undefined
  } catch (error) {
    if (!(error instanceof DatabaseError) || (error.code !== LOCKED && error.code !== GONE)) throw error
    await connection.query('rollback')
    return error.code
  }
}
