import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'

/** Exceeds what a busy machine needs. */
export const LONGEST_MILLISECONDS = 120_000

interface Started<T> {
  readonly end: Promise<T>
  isOver(): boolean
}

export function started<T>(end: Promise<T>): Started<T> {
  let isOver = false
  end.then(
    () => (isOver = true),
    () => (isOver = true),
  )
  return { end, isOver: () => isOver }
}

/** Waits until this many statements of the client's database wait for a lock, or the act is over. */
export async function untilWaiting(client: pg.Client, statements: number, { isOver }: Started<unknown>): Promise<void> {
  const until = performance.now() + LONGEST_MILLISECONDS
  while (!isOver() && (await client.query(WAITING)).rows[0].waiting < statements) {
    if (performance.now() > until) throw new Error('an act neither waits for a lock nor ends')
    await pause(2)
  }
}

const WAITING = `select count(*)::int as waiting from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`
