import pg, { type QueryResult } from 'pg'
import { type Position, parseLsn, trimHeader } from './lsn.ts'
import type { Statement } from './postgres-statements.ts'

export type Role = 'primary' | 'replica'

/** Where a server stands, in its own words. */
export interface Standing {
  /** Everything up to here can be read from it. Undefined on a replica that is none. */
  readonly reached: Position | undefined
  /** Nothing that was read from it before is later than this. */
  readonly seen: Position | undefined
  /** What the primary has made durable, so what replicas can have. */
  readonly flushed: Position | undefined
}

const CONNECT_MILLISECONDS = 1_500
const STATEMENT_MILLISECONDS = 10_000
const LOCK_MILLISECONDS = 5_000
/** Beyond the server's own limit: a server that keeps silent past it is gone. */
const SILENCE_MILLISECONDS = 12_000

/** One connection; statements are sent as they come, and answered in order. */
export class Link {
  readonly #client: pg.Client
  readonly #role: Role
  #depth = 0
  #open = true
  #standing: Standing = { reached: undefined, seen: undefined, flushed: undefined }
  #asking: Promise<Standing> | undefined

  private constructor(client: pg.Client, role: Role, onEnd: (link: Link) => void) {
    this.#client = client
    this.#role = role
    const ended = () => {
      if (!this.#open) return
      this.#open = false
      onEnd(this)
    }
    // Every statement under way is answered with the error as well; unheard, it would end the process.
    client.on('error', ended)
    client.on('end', ended)
  }

  static async open(url: string, role: Role, onEnd: (link: Link) => void): Promise<Link> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'gatehouse',
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
      statement_timeout: STATEMENT_MILLISECONDS,
      lock_timeout: LOCK_MILLISECONDS,
      idle_in_transaction_session_timeout: STATEMENT_MILLISECONDS,
      query_timeout: SILENCE_MILLISECONDS,
      types: { getTypeParser: parserOf },
    })
    const link = new Link(client, role, onEnd)
    try {
      await client.connect()
      await link.ask()
      return link
    } catch (error) {
      await client.end()
      throw error
    }
  }

  /** Statements sent and not answered yet. */
  get depth(): number {
    return this.#depth
  }

  /** As last told; on a replica it only grows while the connection lives. */
  get standing(): Standing {
    return this.#standing
  }

  async run(statement: Statement): Promise<QueryResult> {
    this.#depth++
    try {
      return await this.#client.query(statement)
    } finally {
      this.#depth--
    }
  }

  /** Sent together: one round trip. Commit after a failed statement is a rollback. */
  batch(statements: readonly Statement[]): Promise<PromiseSettledResult<QueryResult>[]> {
    return Promise.allSettled([BEGIN, ...statements, COMMIT].map((statement) => this.run(statement)))
  }

  /** Asked behind what has been sent so far, once for all that ask in the same turn. */
  ask(): Promise<Standing> {
    this.#asking ??= this.#askBehind()
    return this.#asking
  }

  async #askBehind(): Promise<Standing> {
    await Promise.resolve()
    this.#asking = undefined
    const { rows } = await this.run(STANDING[this.#role])
    this.#standing = standingOf(rows[0])
    return this.#standing
  }

  /** Statements under way are answered first. */
  async close(): Promise<void> {
    this.#open = false
    await this.#client.end()
  }

  /** Statements under way fail. */
  drop(): void {
    this.#client.connection.stream.destroy()
  }
}

const BEGIN: Statement = { name: 'begin', text: 'begin', values: [] }
const COMMIT: Statement = { name: 'commit', text: 'commit', values: [] }

// On the primary the insert position: the flushed one misses commits that do not wait for the disk.
// On a replica a commit can be read a moment before its record counts as replayed. Where more has come
// than is replayed, a byte further on asks for that one record too.
const STANDING: Readonly<Record<Role, Statement>> = {
  primary: {
    name: 'standing',
    text: `select ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::int as timeline, lsn::text as reached,
      1 as is_settled, pg_current_wal_flush_lsn()::text as flushed from pg_current_wal_insert_lsn() as lsn`,
    values: [],
  },
  replica: {
    name: 'standing',
    text: `select greatest(c.timeline_id, r.min_recovery_end_timeline,
        (select received_tli from pg_stat_wal_receiver)) as timeline,
      case when pg_is_in_recovery() then lsn::text end as reached,
      coalesce(lsn = pg_last_wal_receive_lsn(), false) as is_settled, null as flushed
      from pg_last_wal_replay_lsn() as lsn, pg_control_checkpoint() as c, pg_control_recovery() as r`,
    values: [],
  },
}

interface StandingRow {
  readonly timeline: number
  readonly reached: string | null
  readonly is_settled: 0 | 1
  readonly flushed: string | null
}

function standingOf({ timeline, reached, is_settled, flushed }: StandingRow): Standing {
  const at = (text: string | null): Position | undefined => {
    const lsn = text === null ? undefined : parseLsn(text)
    return lsn === undefined ? undefined : { timeline, lsn: trimHeader(lsn) }
  }
  const position = at(reached)
  const beyond = position && { timeline, lsn: position.lsn + 1n }
  return { reached: position, seen: is_settled ? position : beyond, flushed: at(flushed) }
}

const BOOLEAN = 16
const INTEGERS: ReadonlySet<number> = new Set([20, 21, 23])
const FRACTIONS: ReadonlySet<number> = new Set([700, 701, 1700])

/** Values as SQLite gives them: numbers for every number, 0 and 1 for truth. */
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
