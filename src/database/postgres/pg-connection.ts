import pg, { type QueryResult } from 'pg'
import { within } from '../../rules/time.ts'
import { RecentlyUsed } from '../recently-used.ts'
import type { Length } from '../store.ts'
import { connectionOptions } from './connection-options.ts'
import {
  type AllDone,
  type Done,
  forgetStatement,
  isPrepared,
  Preparation,
  PreparedQueries,
  PreparedQuery,
  type PreparedStatement,
} from './prepared-query.ts'
import { type ServerRole, WAL_POSITION, type WalPosition, walPositionOf } from './replicas/wal-position.ts'
import { awaitedLong, isAwaitedLong, NAMED_AT_MOST, type Statement } from './statements.ts'
import { allOf, BEGIN, BEGIN_SNAPSHOT, COMMIT, END_SNAPSHOT } from './transaction.ts'

interface ConnectionOptions {
  readonly url: string
  readonly role: ServerRole
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly onEnd: (connection: PgConnection) => void
}

/** Members missing from pg's published types. */
interface WithProcess {
  readonly processID: number
}

const CLOSE_MILLISECONDS = 2_000
/** A server behind a pooler can be silent although the pooler connects. */
const OPEN_MILLISECONDS = 3_000
/**
 * Must exceed the server's own statement limit. If the address sets `query_timeout`, the driver enforces it instead.
 */
const STATEMENT_MILLISECONDS = 12_000
const GATHERED_AT_MOST = 50
/** The driver's message about a query that timed out. */
const GIVEN_UP = 'Query read timeout'

/** One connection; statements are sent at once, and their results come in order. */
export class PgConnection {
  readonly #client: pg.Client
  readonly #role: ServerRole
  readonly #isPooled: boolean
  #last: Promise<unknown> = Promise.resolve()
  #cluster = ''
  #server = ''
  #isCitus = false
  readonly #now: () => number
  #heardAt: number
  /** When each statement without a result was sent; results come in order. */
  readonly #sentAt: number[] = []
  readonly #isWatched: boolean
  #watching: NodeJS.Timeout | undefined
  readonly #prepared = new RecentlyUsed<PreparedStatement>(NAMED_AT_MOST)
  #isGathering = false
  #isWriting = false
  #open = true
  #walPosition: WalPosition = { reached: undefined, seen: undefined, flushed: undefined }
  #asking: PromiseWithResolvers<WalPosition> | undefined

  private constructor(client: pg.Client, { url, role, now, onEnd }: ConnectionOptions) {
    this.#client = client
    this.#role = role
    this.#now = now
    this.#heardAt = now()
    this.#isPooled = !client.pipeline
    // If `query_timeout` is given twice, the driver uses the last; an empty one counts as unset.
    this.#isWatched = client.pipeline && !new URL(url).searchParams.getAll('query_timeout').at(-1)
    const ended = () => {
      clearTimeout(this.#watching)
      if (!this.#open) return
      this.#open = false
      onEnd(this)
    }
    // Every running statement fails with this error as well; without a listener it would end the process.
    client.on('error', ended)
    client.on('end', ended)
  }

  static async open(options: ConnectionOptions): Promise<PgConnection> {
    const client = new pg.Client(connectionOptions(options.url))
    const connection = new PgConnection(client, options)
    try {
      const opening = connection.#begin()
      if (!(await within(OPEN_MILLISECONDS, opening)))
        throw new Error(`no response within ${OPEN_MILLISECONDS / 1000} s`)
      return connection
    } catch (error) {
      connection.drop()
      throw error
    }
  }

  async #begin(): Promise<true> {
    await this.#client.connect()
    const [{ rows }] = await Promise.all([this.run(CLUSTER), this.ask()])
    this.#cluster = rows[0].cluster
    this.#server = rows[0].server
    this.#isCitus = rows[0].is_citus === 1
    return true
  }

  /** Identifies the cluster: the same on a primary and its replicas, and nowhere else. */
  get cluster(): string {
    return this.#cluster
  }

  /** The same for every connection to one running server. */
  get server(): string {
    return this.#server
  }

  /** Identifies the server process; undefined behind a PgBouncer, where it changes. */
  get processId(): number | undefined {
    return this.#isPooled ? undefined : (this.#client as unknown as WithProcess).processID
  }

  /** Statements that are sent and have no result yet. */
  get depth(): number {
    return this.#sentAt.length
  }

  /** How long statements have been waiting without anything from the server. */
  get silentMilliseconds(): number {
    return this.depth === 0 ? 0 : this.#now() - this.#heardAt
  }

  /**
   * Later reads of this turn are sent with those gathered here; after a write they would wait for its commit.
   */
  get isGathering(): boolean {
    return this.#isGathering && !this.#isWriting && this.depth < GATHERED_AT_MOST
  }

  /** The last reported position; on a replica it only grows while the connection lasts. */
  get walPosition(): WalPosition {
    return this.#walPosition
  }

  run(statement: Statement): Promise<QueryResult> {
    return this.#counted([statement], () => (this.#isPooled ? this.#runInTurn(statement) : this.#send(statement)))
  }

  /** Several in order, in an open transaction: after one fails, the others fail too. */
  async runAll(statements: readonly Statement[]): Promise<readonly QueryResult[]> {
    if (statements.length > 1 && this.#canGoTogether(statements)) return this.#runTogether(statements)
    return allOf(await Promise.allSettled(statements.map((statement) => this.run(statement))))
  }

  #canGoTogether(statements: readonly Statement[]): boolean {
    return !this.#isPooled && statements.every(({ name }) => name !== undefined)
  }

  /** With one `sync`; unless a transaction is open, that makes them one. */
  #runTogether(statements: readonly Statement[]): Promise<readonly QueryResult[]> {
    this.#sending(statements.every(({ isRead }) => isRead))
    // Looked up before any is prepared, because preparing one can displace another of them.
    const bound = statements.map(({ name = '', text, values = [] }) => {
      return { text, values, known: this.#preparedUnder(name) }
    })
    const preparing = statements.flatMap((statement) => this.#prepareUnlessDone(statement) ?? [])
    return this.#counted(statements, async () => {
      const running = new Promise<readonly QueryResult[]>((resolve, reject) => {
        const done: AllDone = (error, results) => (error ? reject(error) : resolve(results))
        this.#client.query(new PreparedQueries(bound, done))
      })
      if (preparing.length > 0) allOf(await Promise.allSettled([...preparing, running]))
      return running
    })
  }

  async #counted<T>(statements: readonly Statement[], send: () => Promise<T>): Promise<T> {
    const now = this.#now()
    if (this.depth === 0) this.#heardAt = now
    for (const statement of statements) this.#sentAt.push(isAwaitedLong(statement) ? Number.POSITIVE_INFINITY : now)
    try {
      return await send()
    } finally {
      this.#sentAt.splice(0, statements.length)
      this.#heardAt = this.#now()
    }
  }

  /**
   * Drops the connection once a statement has waited too long. The driver's own timer for each statement keeps finished
   * requests in memory, which costs a tenth of a short request's processor time.
   */
  #watch(milliseconds = STATEMENT_MILLISECONDS): void {
    this.#watching ??= setTimeout(() => {
      this.#watching = undefined
      const [oldest] = this.#sentAt
      if (oldest === undefined) return
      const left = oldest + STATEMENT_MILLISECONDS - this.#now()
      if (left > 0) this.#watch(Math.min(left, STATEMENT_MILLISECONDS))
      else this.drop()
    }, milliseconds).unref()
  }

  #send(statement: Statement): Promise<QueryResult> {
    const { name, text, values = [], isRead } = statement
    this.#sending(isRead)
    if (name === undefined) return this.#client.query(statement)
    const known = this.#preparedUnder(name)
    return this.#submit((done) => new PreparedQuery({ text, values }, known, done))
  }

  #sending(isRead: boolean): void {
    this.#gather()
    if (this.#isWatched) this.#watch()
    if (!isRead) this.#isWriting = true
  }

  /** Statements of one turn of the event loop are sent together: a write to the socket costs more than a statement. */
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    const { stream } = this.#client.connection
    stream.cork()
    setImmediate(() => {
      this.#sendQuestion()
      this.#isGathering = false
      this.#isWriting = false
      stream.uncork()
    })
  }

  #submit(queryThat: (done: Done) => pg.Submittable): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      this.#client.query(queryThat((error, result) => (error ? reject(error) : resolve(result))))
    })
  }

  #preparedUnder(name: string): PreparedStatement {
    const known = this.#prepared.use(name)
    if (known) return known
    const statement = { name, columns: undefined }
    const unused = this.#prepared.keep(name, statement)
    if (unused !== undefined) forgetStatement(this.#client, unused)
    return statement
  }

  /** PgBouncer passes each statement to any server connection, so they go one at a time and without names. */
  #runInTurn({ name, ...unnamed }: Statement): Promise<QueryResult> {
    const send = () => this.#client.query(unnamed)
    const result = this.#last.then(send, send)
    // Statements queued behind an abandoned one would wait as long again.
    result.catch((error: unknown) => error instanceof Error && error.message === GIVEN_UP && this.drop())
    this.#last = result
    return result
  }

  /**
   * One transaction and one round trip. Citus takes only what stands between `begin` and `commit` as one transaction: its
   * other servers commit any other statement at once.
   */
  batch(statements: readonly Statement[], length: Length): Promise<readonly QueryResult[]> {
    if (length === 'long')
      return this.#transaction(awaitedLong(BEGIN), statements.map(awaitedLong), awaitedLong(COMMIT))
    if (this.#canGoTogether(statements) && !this.#isCitus) return this.#runTogether(statements)
    return this.#transaction(BEGIN, statements, COMMIT)
  }

  snapshot(statements: readonly Statement[]): Promise<readonly QueryResult[]> {
    return this.#transaction(BEGIN_SNAPSHOT, statements, END_SNAPSHOT)
  }

  /** Commit after a failed statement is a rollback. */
  async #transaction(begin: Statement, statements: readonly Statement[], end: Statement) {
    const ending = async () => [await this.run(end)]
    const [results = []] = allOf(await Promise.allSettled([this.runAll([begin, ...statements]), ending()]))
    return results.slice(1)
  }

  /**
   * Prepares before the statements run: after a failure the server would refuse to prepare the others, which later
   * transactions on this connection already use.
   */
  #prepareUnlessDone({ name = '', text }: Statement): Promise<QueryResult> | undefined {
    if (isPrepared(this.#client, name)) return undefined
    return this.#submit((done) => new Preparation(text, name, done))
  }

  /** Queried after this turn's statements, once for all callers. */
  ask(): Promise<WalPosition> {
    if (!this.#asking) {
      this.#asking = Promise.withResolvers()
      if (!this.#isGathering) queueMicrotask(() => this.#sendQuestion())
    }
    return this.#asking.promise
  }

  #sendQuestion(): void {
    const asking = this.#asking
    if (!asking) return
    this.#asking = undefined
    asking.resolve(this.#askNow())
  }

  async #askNow(): Promise<WalPosition> {
    const { rows } = await this.run(WAL_POSITION[this.#role])
    this.#walPosition = walPositionOf(rows[0])
    return this.#walPosition
  }

  /** Running statements end first, if that does not take long. */
  async close(): Promise<void> {
    this.#open = false
    const late = setTimeout(() => this.drop(), CLOSE_MILLISECONDS)
    await this.#client.end().finally(() => clearTimeout(late))
  }

  /** Running statements fail. */
  drop(): void {
    this.#client.connection.stream.destroy()
  }
}

const CLUSTER: Statement = {
  name: 'cluster',
  text: `select system_identifier::text as cluster,
    system_identifier || '/' || extract(epoch from pg_postmaster_start_time()) as server,
    (select count(*)::int from pg_extension where extname = 'citus') as is_citus from pg_control_system()`,
  values: [],
  isRead: true,
}

/** Sends its statements in the same turn of the event loop in which it is called. */
export type ConnectionWork<T> = (connection: PgConnection) => Promise<T>
