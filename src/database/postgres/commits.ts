import { setTimeout as wait } from 'node:timers/promises'
import type { PgConnection } from './pg-connection.ts'
import type { Statement } from './statements.ts'

/** A commit becomes visible within microseconds, unless a busy machine keeps its process from running. */
const PATIENCE_MILLISECONDS = 1_000
const LONGEST_PAUSE_MILLISECONDS = 16

/**
 * A transaction holds the lock on its own id until its changes are visible to everybody. The lock does not name a
 * database, so its process is looked up. A process in another database does not matter, and neither does one that waits
 * for its client: it has not begun to commit. PostgreSQL hides the state of other roles' processes, so they count as
 * writing.
 */
const WRITERS: Statement = {
  name: 'writers',
  text: `select transactionid::text as id from pg_locks where locktype = 'transactionid' and granted
    and mode = 'ExclusiveLock'
    and pid in (select pid from pg_stat_activity where datname = current_database()
      and coalesce(state, '') not like 'idle%' and coalesce(backend_type, '') <> 'autovacuum worker')`,
  values: [],
  isRead: true,
}

/**
 * The primary sends a commit to its replicas before the commit is visible on the primary itself, so a read on the
 * primary can have to wait until it is.
 */
export class Commits {
  readonly #now: () => number
  /** Transactions that took longer than a request waits; no request waits for them again. */
  #long: ReadonlySet<string> = new Set()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Waits until the transactions that are writing at this moment have ended. */
  async awaitVisible(connection: PgConnection): Promise<void> {
    const giveUpAt = this.#now() + PATIENCE_MILLISECONDS
    let running = await writers(connection)
    this.#long = common(this.#long, running)
    let awaited = [...running].filter((id) => !this.#long.has(id))
    for (let pause = 1; awaited.length > 0 && this.#now() < giveUpAt; pause *= 2) {
      await wait(Math.min(pause, LONGEST_PAUSE_MILLISECONDS))
      running = await writers(connection)
      awaited = awaited.filter((id) => running.has(id))
    }
    this.#long = new Set([...this.#long, ...awaited])
  }
}

async function writers(connection: PgConnection): Promise<ReadonlySet<string>> {
  const { rows } = await connection.run(WRITERS)
  return new Set(rows.map(({ id }) => id))
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((id) => b.has(id)))
}
