import type { Service } from '../service/service.ts'
import { withClient } from './databases.ts'

type Act<T> = () => Promise<T>

/**
 * Starts each act once the one before waits for a lock, while another transaction holds the user's row; then
 * lets go. On an embedded store, which has one writer, the acts start together.
 */
export async function whileUserIsHeld<T>(
  { config }: Service,
  userId: string,
  acts: readonly Act<T>[],
): Promise<readonly T[]> {
  const url = config.databaseUrl
  if (!url?.startsWith('postgres')) return Promise.all(acts.map((act) => act()))
  return withClient(url, async (holder) => {
    await holder.query('begin')
    await holder.query('select from "user" where id = $1 for update', [userId])
    const started = await startInTurn(url, acts)
    await holder.query('commit')
    return Promise.all(started)
  })
}

function startInTurn<T>(url: string, acts: readonly Act<T>[]): Promise<readonly Promise<T>[]> {
  return withClient(url, async (watcher) => {
    const started: Promise<T>[] = []
    for (const act of acts) {
      let isOver = false
      const running = act()
      running.then(
        () => (isOver = true),
        () => (isOver = true),
      )
      started.push(running)
      const until = performance.now() + LONGEST_MILLISECONDS
      while (!isOver && (await waiting()) < started.length) {
        if (performance.now() > until) throw new Error('an act neither waits for the row nor ends')
      }
    }
    return started

    async function waiting(): Promise<number> {
      const { rows } = await watcher.query(WAITING)
      return rows[0].waiting
    }
  })
}

const LONGEST_MILLISECONDS = 120_000

const WAITING = `select count(*)::int as waiting from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`
