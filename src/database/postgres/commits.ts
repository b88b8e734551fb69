import type { PgConnection } from './pg-connection.ts'
import type { Statement } from './statements.ts'

/** A commit shows within microseconds; only where its process is kept from running is it milliseconds. */
const PATIENCE_MILLISECONDS = 20

/** A transaction holds the lock on its own id until everybody can see what it did. */
const WRITERS: Statement = {
  name: 'writers',
  text: `select transactionid::text as id from pg_locks where locktype = 'transactionid' and granted
    and mode = 'ExclusiveLock'`,
  values: [],
}

/** The primary sends a commit to its replicas before it shows it itself. */
export class Commits {
  readonly #now: () => number
  /** Transactions that took longer than anybody waits; nobody waits for them twice. */
  #long: ReadonlySet<string> = new Set()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Waits until what is being written at this moment has ended. */
  async show(connection: PgConnection): Promise<void> {
    const giveUpAt = this.#now() + PATIENCE_MILLISECONDS
    let running = await writers(connection)
    this.#long = common(this.#long, running)
    let awaited = [...running].filter((id) => !this.#long.has(id))
    while (awaited.length > 0 && this.#now() < giveUpAt) {
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
