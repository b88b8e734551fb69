import {
  type CompiledQuery,
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import { currentReadPosition } from '../current-request.ts'
import type { ReadPosition } from '../read-position.ts'
import { isRead } from '../reads.ts'
import { StatementDriver } from '../statement-driver.ts'
import type { Engine, Reads, ReplicaReport } from '../store.ts'
import { Commits } from './commits.ts'
import { ConnectionPool } from './connection-pool.ts'
import { isAftermath, isStalePlan, translated } from './errors.ts'
import type { Position } from './lsn.ts'
import type { PgConnection } from './pg-connection.ts'
import { answered, Replica } from './replica.ts'
import { RequestReads } from './request-reads.ts'
import { Statements } from './statements.ts'
import type { WalPosition } from './wal-position.ts'

interface Options {
  readonly url: string
  readonly replicaUrls?: readonly string[]
  /** To each server, at most. */
  readonly connections?: number
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

const CONNECTIONS = 10

/** A primary and its replicas. A write is on the primary; a read is where its request may read. */
export class PostgresEngine implements Engine {
  readonly name: string
  readonly #primary: ConnectionPool
  readonly #replicas: readonly Replica[]
  readonly #statements = new Statements()
  readonly #commits: Commits
  readonly #requestReads = new WeakMap<ReadPosition, RequestReads>()
  /** What the primary last said to have on disk. */
  #durable: Position | undefined
  #cluster: string | undefined
  #turn = 0

  constructor(name: string, options: Options) {
    const { url, replicaUrls = [], connections = CONNECTIONS, now = () => performance.now() } = options
    this.name = name
    this.#commits = new Commits(now)
    this.#primary = new ConnectionPool({ url, role: 'primary', connections, now })
    const isSameCluster = (connection: PgConnection) => connection.cluster === this.#cluster
    this.#replicas = replicaUrls.map(
      (replicaUrl, i) =>
        new Replica({ name: `replica-${i + 1}`, url: replicaUrl, connections, now, isSameCluster }),
    )
  }

  dialect(reads: Reads): Dialect {
    const driver = new StatementDriver((query) => this.run(query, reads))
    return {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver,
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    }
  }

  run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>> {
    return reads === 'routed' ? this.#runRouted(query) : this.#runOnPrimary(query)
  }

  batch(queries: readonly CompiledQuery[]): Promise<readonly QueryResult<unknown>[]> {
    return this.#guarded(queries, async () => {
      const statements = queries.map((query) => this.#statements.of(query))
      const connection = await this.#primary.take()
      const outcomes = connection.batch(statements)
      this.#noteOnPrimary(connection)
      return allOf(await outcomes)
        .slice(1, -1)
        .map(resultOf)
    })
  }

  replicas(): readonly ReplicaReport[] {
    return this.#replicas.map(({ name, state, reached }) => ({
      name,
      state,
      behindBytes: reached && this.#durable && Math.max(0, Number(this.#durable.lsn - reached.lsn)),
    }))
  }

  async ping(): Promise<void> {
    await this.#guarded([], async () => this.#ask(await this.#primary.take()))
  }

  async close(): Promise<void> {
    await Promise.all([this.#primary, ...this.#replicas].map((server) => server.close()))
  }

  async #runRouted(query: CompiledQuery): Promise<QueryResult<unknown>> {
    const readPosition = currentReadPosition()
    if (!readPosition || !isRead(query)) return this.#runAndNote(query)
    const reads = this.#journeyOf(readPosition)
    // Chosen a turn before it is used: reads of one moment choose the same connection then.
    const found = await this.#findReplica(reads)
    const result = found && (await this.#readOnReplica(found, query, reads))
    if (result) return result
    if (reads.isAhead) await this.#letCommitsShow(reads)
    return this.#runAndNote(query)
  }

  /** Decides who may do what, so it is no part of what the request has seen. */
  #runOnPrimary(query: CompiledQuery): Promise<QueryResult<unknown>> {
    if (!isRead(query)) return this.#runAndNote(query)
    return this.#guarded([query], async () => {
      const connection = await this.#primary.take()
      return resultOf(await connection.run(this.#statements.of(query)))
    })
  }

  #runAndNote(query: CompiledQuery): Promise<QueryResult<unknown>> {
    return this.#guarded([query], async () => {
      const statement = this.#statements.of(query)
      const connection = await this.#primary.take()
      const result = connection.run(statement)
      this.#noteOnPrimary(connection)
      return resultOf(await result)
    })
  }

  /** Undefined where no replica has what the request must see; the primary always has. */
  #findReplica(reads: RequestReads): Finding | Promise<Finding> {
    if (this.#replicas.length === 0) return undefined
    const floor = reads.floor()
    return floor instanceof Promise ? floor.then((known) => this.#findAt(known)) : this.#findAt(floor)
  }

  #findAt(floor: Position | undefined): Finding | Promise<Finding> {
    const durable = this.#durable
    if (!floor || !durable || floor.timeline !== durable.timeline) return undefined
    return this.#readyReplica(floor, durable) ?? this.#checkedReplica(floor, durable)
  }

  #readyReplica(floor: Position, durable: Position): Finding {
    const count = this.#replicas.length
    const first = this.#turn++
    for (let i = 0; i < count; i++) {
      const replica = this.#replicas[(first + i) % count]
      const connection = replica?.ready(floor, durable)
      if (replica && connection) return { replica, connection }
    }
    return undefined
  }

  #checkedReplica(floor: Position, durable: Position): Promise<Finding> | undefined {
    const checks = this.#replicas.flatMap((replica) => {
      const check = replica.check(floor, durable)
      return check ? [check.then((connection) => connection && { replica, connection })] : []
    })
    return checks.length > 1 ? firstFound(checks) : checks[0]
  }

  /** Undefined where the replica failed: the primary answers. */
  async #readOnReplica({ replica, connection }: Found, query: CompiledQuery, reads: RequestReads) {
    try {
      const reading = replica.read(connection, this.#statements.of(query))
      const walPosition = answered(replica.ask(connection))
      const result = resultOf(await reading)
      reads.seenOnReplica(walPosition.then((known) => known?.seen))
      return result
    } catch {
      return undefined
    }
  }

  #letCommitsShow(reads: RequestReads): Promise<void> {
    return this.#guarded([], async () => {
      await this.#commits.show(await this.#primary.take())
      reads.caughtUp()
    })
  }

  #noteOnPrimary(connection: PgConnection): void {
    const readPosition = currentReadPosition()
    if (readPosition)
      this.#journeyOf(readPosition).seenOnPrimary(this.#ask(connection).then(({ seen }) => seen))
  }

  async #ask(connection: PgConnection): Promise<WalPosition> {
    const walPosition = await connection.ask()
    this.#durable = walPosition.flushed
    this.#cluster = connection.cluster
    return walPosition
  }

  #journeyOf(readPosition: ReadPosition): RequestReads {
    const known = this.#requestReads.get(readPosition)
    if (known) return known
    const reads = new RequestReads(readPosition, this.name)
    this.#requestReads.set(readPosition, reads)
    return reads
  }

  /** Once more where the server refused a prepared statement unseen: none of the work has run. */
  async #guarded<T>(queries: readonly CompiledQuery[], work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!isStalePlan(error)) throw translated(this.name, error)
      for (const { sql } of queries) this.#statements.forget(sql)
    }
    try {
      return await work()
    } catch (error) {
      throw translated(this.name, error)
    }
  }
}

interface Found {
  readonly replica: Replica
  readonly connection: PgConnection
}

type Finding = Found | undefined

function firstFound(findings: readonly Promise<Finding>[]): Promise<Finding> {
  const first = Promise.withResolvers<Finding>()
  for (const finding of findings) void finding.then((found) => found && first.resolve(found))
  void Promise.all(findings).then(() => first.resolve(undefined))
  return first.promise
}

/** The first failure is the cause; what follows it in a transaction is refused because of it. */
function allOf(outcomes: readonly PromiseSettledResult<pg.QueryResult>[]): readonly pg.QueryResult[] {
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  const cause = failures.find((failure) => !isAftermath(failure)) ?? failures[0]
  if (cause) throw cause
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}

function resultOf({ command, rowCount, rows }: pg.QueryResult): QueryResult<unknown> {
  return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) }
}
