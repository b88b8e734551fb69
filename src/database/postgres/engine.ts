import type { CompiledQuery, Dialect, QueryResult } from 'kysely'
import type pg from 'pg'
import type { DatabaseError } from 'pg'
import { addressesOf } from '../../config/addresses.ts'
import { currentReadPosition } from '../current-request.ts'
import { refuseInsideDecision, type Work } from '../decision.ts'
import type { ReadPosition } from '../read-position.ts'
import { isRead, refuseWrites } from '../reads.ts'
import {
  type Connections,
  type Engine,
  type Length,
  type Reads,
  type ReplicaReport,
  type StoreClock,
  StoreReadOnly,
  unlessUnavailable,
} from '../store.ts'
import { Commits } from './commits.ts'
import { hostsOf } from './connection-options.ts'
import { ConnectionPool } from './connection-pool.ts'
import { postgresDialect } from './dialect.ts'
import { isFullDisk, isReadOnly, isStalePlan, translated } from './errors.ts'
import { LongReads } from './long-reads.ts'
import type { ConnectionWork, PgConnection } from './pg-connection.ts'
import { clockOf, takesWrites, useRoom } from './probes.ts'
import type { Position } from './replicas/lsn.ts'
import { answered, type FoundReplica, Replicas } from './replicas/replicas.ts'
import type { WalPosition } from './replicas/wal-position.ts'
import { RequestReads } from './request-reads.ts'
import { ReservedConnections } from './reserved-connections.ts'
import { type Statement, Statements } from './statements.ts'
import { BEGIN, COMMIT, ROLLBACK } from './transaction.ts'

interface Options {
  readonly url: string
  readonly replicaUrls?: readonly string[]
  /** The maximum for each server. */
  readonly connections?: number
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

const CONNECTIONS = 10
const READ_ONLY_HINT = 'the server refuses writes, because default_transaction_read_only is on'

/** A primary and its replicas. Writes go to the primary; a read goes wherever its request may read. */
export class PostgresEngine implements Engine {
  readonly name: string
  readonly at: string
  readonly #hasSeveralHosts: boolean
  readonly #primary: ConnectionPool
  readonly #reserved: ReservedConnections
  /** For the checks alone, so that they never queue behind requests. */
  readonly #checks: ConnectionPool
  readonly #long: LongReads
  readonly #replicas: Replicas
  readonly #statements = new Statements()
  readonly #commits: Commits
  /** The position the primary last reported as flushed. */
  #durable: Position | undefined
  #known: Pick<PgConnection, 'cluster' | 'server'> | undefined
  /** The error of the first write that found no room, until a check finds some. */
  #full: DatabaseError | undefined
  #findingRoom: Promise<void> | undefined

  constructor(name: string, options: Options) {
    const { url, replicaUrls = [], connections = CONNECTIONS, now = () => performance.now() } = options
    this.name = name
    this.at = hostsOf(url)
    this.#hasSeveralHosts = addressesOf(url).length > 1
    this.#commits = new Commits(now)
    this.#primary = new ConnectionPool({ url, role: 'primary', connections, now })
    this.#reserved = new ReservedConnections({ url, connections, now })
    this.#checks = new ConnectionPool({ url, role: 'primary', connections: 1, now })
    this.#long = new LongReads(url, now, () => this.#primary.take())
    this.#replicas = new Replicas(replicaUrls, { connections, now, primary: () => this.#known })
  }

  dialect(reads: Reads): Dialect {
    return postgresDialect((query) => this.run(query, reads))
  }

  run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>> {
    refuseInsideDecision()
    if (reads === 'primary') return this.#runOnPrimary(query)
    const work = this.#running(query)
    return isRead(query) ? this.#readRouted([query], work) : this.#runAndNote([query], work)
  }

  async batch(queries: readonly CompiledQuery[], length: Length = 'short'): Promise<readonly QueryResult<unknown>[]> {
    refuseInsideDecision()
    return this.#runAndNote(queries, async (connection) => {
      const statements = queries.map((query) => this.#statements.of(query))
      return (await connection.batch(statements, length)).map(resultOf)
    })
  }

  /** Retries once if the server refused a prepared statement: nothing of the first attempt remains. */
  async decide(work: Work): Promise<void> {
    refuseInsideDecision()
    const sent: CompiledQuery[] = []
    try {
      return await this.#decideOnce(work, sent)
    } catch (error) {
      if (!(error instanceof StatementFailed)) throw error
      if (!isStalePlan(error.cause)) throw this.#noted(error.cause)
      this.#forget(sent)
    }
    try {
      return await this.#decideOnce(work, sent)
    } catch (error) {
      throw error instanceof StatementFailed ? this.#noted(error.cause) : error
    }
  }

  /** Two round trips: `begin` goes with the first statements, `commit` with the last writes. */
  async #decideOnce(work: Work, sent: CompiledQuery[]): Promise<void> {
    const connection = await failing(this.#reserved.take())
    const run = async (
      queries: readonly CompiledQuery[],
      before: readonly Statement[],
      after: readonly Statement[],
    ) => {
      const statements = queries.map((query) => this.#statements.of(query))
      sent.push(...queries)
      const results = await connection.runAll([...before, ...statements, ...after])
      return results.slice(before.length, before.length + queries.length).map(resultOf)
    }
    let begin: readonly Statement[] = [BEGIN]
    try {
      const writes = await work((queries) => {
        const before = begin
        begin = []
        return failing(run(queries, before, []))
      })
      const ending = run(writes, begin, [COMMIT])
      this.#noteOnPrimary(connection)
      await failing(ending)
      this.#reserved.give(connection)
    } catch (error) {
      connection.run(ROLLBACK).then(
        () => this.#reserved.give(connection),
        () => this.#reserved.drop(connection),
      )
      this.#noteOnPrimary(connection)
      throw error
    }
  }

  async snapshot(
    queries: readonly CompiledQuery[],
    from: Reads,
    length: Length = 'short',
  ): Promise<readonly QueryResult<unknown>[]> {
    refuseInsideDecision()
    refuseWrites(queries)
    const read: ConnectionWork<readonly QueryResult<unknown>[]> = async (connection) => {
      const statements = queries.map((query) => this.#statements.of(query))
      return (await connection.snapshot(statements)).map(resultOf)
    }
    // A long read on a replica is not cancelled: it ends at the time limit.
    const isRouted = from === 'routed' && this.#replicas.count > 0
    if (length === 'long' && !isRouted)
      return this.#guarded(queries, () => this.#long.read((connection) => this.#readAndNote(connection, read)))
    return from === 'routed' ? this.#readRouted(queries, read) : this.#runAndNote(queries, read)
  }

  replicas(): readonly ReplicaReport[] {
    return this.#replicas.report(this.#durable)
  }

  async history(): Promise<string> {
    return this.#guarded([], async () => {
      const connection = await this.#primary.take()
      const { reached } = await this.#ask(connection)
      return `${connection.cluster}/${reached?.timeline}`
    })
  }

  async ping(): Promise<void> {
    const isWritable = await this.#guarded([], async () => {
      const connection = await this.#checks.take()
      const [takes] = await Promise.all([takesWrites(connection), this.#ask(connection)])
      return takes
    })
    if (!isWritable) throw new StoreReadOnly(this.name, { cause: new Error(READ_ONLY_HINT) })
    if (this.#full) await this.#findRoom()
  }

  async examine(): Promise<StoreClock> {
    await this.ping()
    await this.#findRoom()
    return this.#guarded([], async () => clockOf(await this.#checks.take()))
  }

  connections(): Connections {
    const [shared, reserved] = [this.#primary.count(), this.#reserved.count()]
    return {
      idle: shared.idle + reserved.idle,
      busy: shared.busy + reserved.busy,
      waiting: shared.waiting + reserved.waiting,
    }
  }

  async freeBytes(): Promise<undefined> {}

  /** One attempt for all checks that need it meanwhile. */
  #findRoom(): Promise<void> {
    this.#findingRoom ??= this.#tryToFindRoom().finally(() => {
      this.#findingRoom = undefined
    })
    return this.#findingRoom
  }

  /** A server does not report its free space, so it is made to use some. A role without the right learns nothing. */
  async #tryToFindRoom(): Promise<void> {
    try {
      await this.#guarded([], async () => useRoom(await this.#checks.take()))
      this.#full = undefined
    } catch (error) {
      unlessUnavailable(error)
      if (error instanceof Error && !isFullDisk(error.cause)) this.#full = undefined
      if (this.#full) throw new StoreReadOnly(this.name, { cause: this.#full })
    }
  }

  #noted(error: unknown): unknown {
    if (isFullDisk(error)) this.#full ??= error
    // Another host has taken over from this one, which still answers.
    if (this.#hasSeveralHosts && isReadOnly(error)) {
      for (const pool of [this.#primary, this.#checks]) pool.drop()
      this.#reserved.dropAll()
    }
    return translated(this.name, error)
  }

  async close(): Promise<void> {
    const all = [this.#primary, this.#reserved, this.#checks, this.#long, this.#replicas]
    await Promise.all(all.map((servers) => servers.close()))
  }

  async #readRouted<T>(queries: readonly CompiledQuery[], read: ConnectionWork<T>): Promise<T> {
    const readPosition = currentReadPosition()
    if (!readPosition) return this.#runAndNote(queries, read)
    const reads = this.#readsOf(readPosition)
    // Chosen a turn before it is used, so that reads of one moment choose the same connection.
    const found = await this.#findReplica(reads)
    const result = found && (await this.#readOnReplica(found, queries, read, reads))
    if (result) return result
    if (reads.isAhead) await this.#awaitCommits(reads)
    return this.#runAndNote(queries, read)
  }

  /** Reads that authorise the caller do not count as seen by the request. */
  #runOnPrimary(query: CompiledQuery): Promise<QueryResult<unknown>> {
    if (!isRead(query)) return this.#runAndNote([query], this.#running(query))
    return this.#guarded([query], async () => this.#running(query)(await this.#primary.take()))
  }

  #runAndNote<T>(queries: readonly CompiledQuery[], work: ConnectionWork<T>): Promise<T> {
    return this.#guarded(queries, async () => {
      return this.#readAndNote(await this.#primary.take(), work)
    })
  }

  #readAndNote<T>(connection: PgConnection, work: ConnectionWork<T>): Promise<T> {
    const result = work(connection)
    this.#noteOnPrimary(connection)
    return result
  }

  #running(query: CompiledQuery): ConnectionWork<QueryResult<unknown>> {
    return async (connection) => resultOf(await connection.run(this.#statements.of(query)))
  }

  /** Undefined if no replica has what the request must see; the primary always has it. */
  async #findReplica(reads: RequestReads): Promise<FoundReplica | undefined> {
    if (this.#replicas.count === 0) return undefined
    const floor = await reads.floor()
    const durable = this.#durable
    if (!floor || !durable || floor.timeline !== durable.timeline) return undefined
    return this.#replicas.find(floor, durable)
  }

  /** Undefined if the replica failed: then the primary is read. */
  async #readOnReplica<T>(
    { replica, connection }: FoundReplica,
    queries: readonly CompiledQuery[],
    read: ConnectionWork<T>,
    reads: RequestReads,
  ) {
    try {
      const reading = replica.read(connection, read)
      const walPosition = answered(replica.ask(connection))
      const result = await reading
      reads.seenOnReplica(walPosition.then((known) => known?.seen))
      return result
    } catch (error) {
      // It has replayed a change of the tables since: the next read prepares the statement again.
      if (isStalePlan(error)) this.#forget(queries)
      return undefined
    }
  }

  #awaitCommits(reads: RequestReads): Promise<void> {
    return this.#guarded([], async () => {
      await this.#commits.awaitVisible(await this.#primary.take())
      reads.caughtUp()
    })
  }

  #noteOnPrimary(connection: PgConnection): void {
    const readPosition = currentReadPosition()
    if (readPosition) this.#readsOf(readPosition).seenOnPrimary(this.#ask(connection).then(({ seen }) => seen))
  }

  async #ask(connection: PgConnection): Promise<WalPosition> {
    const walPosition = await connection.ask()
    this.#durable = walPosition.flushed
    this.#known = connection
    return walPosition
  }

  #readsOf(readPosition: ReadPosition): RequestReads {
    const known = readPosition.readsOf(this.name)
    return known instanceof RequestReads ? known : new RequestReads(readPosition, this.name)
  }

  /** Runs the work once more if the server refused a prepared statement before any of it ran. */
  async #guarded<T>(queries: readonly CompiledQuery[], work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!isStalePlan(error)) throw this.#noted(error)
      this.#forget(queries)
    }
    try {
      return await work()
    } catch (error) {
      throw this.#noted(error)
    }
  }

  #forget(queries: readonly CompiledQuery[]): void {
    for (const { sql } of queries) this.#statements.forget(sql)
  }
}

function resultOf({ command, rowCount, rows }: pg.QueryResult): QueryResult<unknown> {
  return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) }
}

/** Tells a failed statement from an error thrown by the decision's work. */
class StatementFailed extends Error {}

async function failing<T>(statements: Promise<T>): Promise<T> {
  try {
    return await statements
  } catch (cause) {
    throw new StatementFailed('a statement of a decision failed', { cause })
  }
}
