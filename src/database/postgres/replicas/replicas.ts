import { within } from '../../../rules/time.ts'
import type { ReplicaReport } from '../../store.ts'
import { hostsOf } from '../connection-options.ts'
import { ConnectionPool } from '../connection-pool.ts'
import { translated } from '../errors.ts'
import type { PgConnection } from '../pg-connection.ts'
import { covers, type Position } from './lsn.ts'
import type { ServerRole, WalPosition } from './wal-position.ts'

export interface FoundReplica {
  readonly replica: Replica
  readonly connection: PgConnection
}

/** All read replicas of one store, which take turns. */
export class Replicas {
  readonly #replicas: readonly Replica[]
  #turn = 0

  constructor(urls: readonly string[], options: Omit<ReplicaOptions, 'url'>) {
    this.#replicas = urls.map((url) => new Replica({ ...options, url }))
  }

  get count(): number {
    return this.#replicas.length
  }

  /** A replica that has replayed `floor`: at once if one is known to, else after a short check. */
  async find(floor: Position, durable: Position): Promise<FoundReplica | undefined> {
    return this.#ready(floor, durable) ?? this.#checked(floor, durable)
  }

  report(durable: Position | undefined): readonly ReplicaReport[] {
    if (durable) for (const replica of this.#replicas) replica.noticeIfIdle(durable)
    return this.#replicas.map(({ at, state, stateMilliseconds, reached }) => ({
      at,
      state,
      stateMilliseconds,
      behindBytes: reached && durable && Math.max(0, Number(durable.lsn - reached.lsn)),
    }))
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()))
  }

  #ready(floor: Position, durable: Position): FoundReplica | undefined {
    const first = this.#turn++
    for (let i = 0; i < this.count; i++) {
      const replica = this.#replicas[(first + i) % this.count]
      const connection = replica?.ready(floor, durable)
      if (replica && connection) return { replica, connection }
    }
    return undefined
  }

  #checked(floor: Position, durable: Position): Promise<FoundReplica | undefined> | undefined {
    const checks = this.#replicas.flatMap((replica) => {
      const check = replica.check(floor, durable)
      return check ? [check.then((connection) => connection && { replica, connection })] : []
    })
    return checks.length > 1 ? firstFound(checks) : checks[0]
  }
}

function firstFound(findings: readonly Promise<FoundReplica | undefined>[]) {
  const first = Promise.withResolvers<FoundReplica | undefined>()
  for (const finding of findings) void finding.then((found) => found && first.resolve(found))
  void Promise.all(findings).then(() => first.resolve(undefined))
  return first.promise
}

interface ReplicaOptions {
  readonly url: string
  readonly connections: number
  readonly now: () => number
  /** A connection to the primary, if one was open: it tells which cluster and which server that is. */
  readonly primary: () => Pick<PgConnection, 'cluster' | 'server'> | undefined
}

const CHECK_MILLISECONDS = 5
const ASK_AGAIN_MILLISECONDS = 20
const ANSWER_MILLISECONDS = 1_000
const LISTEN_MILLISECONDS = 250
const LAG_MILLISECONDS = 500
const PROBE_MILLISECONDS = 250
const IDLE_MILLISECONDS = 1_000

/**
 * One read replica, used up to the position that it is known to have replayed. A silent or lagging replica is not used
 * until a probe, which no request waits for, finds that it works again.
 */
class Replica {
  readonly at: string
  readonly #connections: ConnectionPool
  readonly #now: () => number
  readonly #primary: ReplicaOptions['primary']
  #state: ReplicaReport['state'] = 'untried'
  #changedAt: number
  #reached: Position | undefined
  /** The position it has not reached, and since when. */
  #behind: { readonly position: Position; readonly since: number } | undefined
  /** The check under way, which all callers share. */
  #checking: Promise<Looked> | undefined
  /** Connections with running reads. */
  readonly #read = new Set<PgConnection>()
  #listening: NodeJS.Timeout | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  #shortAt = Number.NEGATIVE_INFINITY
  #probedAt = Number.NEGATIVE_INFINITY

  constructor({ url, connections, now, primary }: ReplicaOptions) {
    this.at = hostsOf(url)
    this.#connections = new ConnectionPool({ url, role: 'replica', connections, now })
    this.#now = now
    this.#changedAt = now()
    this.#primary = primary
  }

  get state(): ReplicaReport['state'] {
    return this.#state
  }

  get stateMilliseconds(): number {
    return this.#now() - this.#changedAt
  }

  /** The last reported position; undefined before the first report. */
  get reached(): Position | undefined {
    return this.#reached
  }

  /** A connection that is known to have replayed the position. Never waits. */
  ready(asked: Position, durable: Position): PgConnection | undefined {
    const connection = this.#serving(durable)
    return connection && covers(connection.walPosition.reached, asked) ? connection : undefined
  }

  /**
   * Queries the replica again, for a few milliseconds at most; undefined if that would not help now. `durable` is what
   * the primary is known to have on disk: only a replica behind it lags, since a bookmark can be forged.
   */
  check(asked: Position, durable: Position): Promise<PgConnection | undefined> | undefined {
    const connection = this.#serving(durable)
    if (!connection || this.#now() - this.#shortAt < ASK_AGAIN_MILLISECONDS) return undefined
    this.#checking ??= this.#look(connection).finally(() => {
      this.#checking = undefined
    })
    return this.#checking.then((looked) => {
      if (covers(looked.reached, asked)) return looked.connection
      this.#shortAt = this.#now()
      if (covers(durable, asked)) this.#fellShort(asked)
      return undefined
    })
  }

  /** The next report then tells that a replica which nobody reads is lost, or is back. */
  noticeIfIdle(durable: Position): void {
    if (this.#now() - this.#askedAt >= IDLE_MILLISECONDS) void this.check(durable, durable)
  }

  async #look(connection: PgConnection): Promise<Looked> {
    const walPosition = await within(CHECK_MILLISECONDS, answered(this.ask(connection)))
    return { connection, reached: walPosition?.reached }
  }

  async ask(connection: PgConnection): Promise<WalPosition> {
    this.#askedAt = this.#now()
    const walPosition = await connection.ask()
    this.#reached = walPosition.reached
    if (this.#behind && covers(this.#reached, this.#behind.position)) this.#behind = undefined
    return walPosition
  }

  /** If the replica falls silent during the read, the statement fails and the caller reads the primary. */
  read<T>(connection: PgConnection, read: (connection: PgConnection) => Promise<T>): Promise<T> {
    this.#read.add(connection)
    this.#listening ??= setInterval(() => this.#listen(), LISTEN_MILLISECONDS).unref()
    return read(connection)
  }

  close(): Promise<void> {
    return this.#connections.close()
  }

  #serving(durable: Position): PgConnection | undefined {
    const connection = this.#state === 'serving' ? this.#connections.idlest() : undefined
    if (connection) return connection
    if (this.#state === 'serving') this.#become('unreachable')
    if (this.#now() - this.#probedAt >= PROBE_MILLISECONDS) void this.#probe(durable)
    return undefined
  }

  #fellShort(asked: Position): void {
    this.#behind ??= { position: asked, since: this.#now() }
    if (this.#now() - this.#behind.since >= LAG_MILLISECONDS) this.#stopUsing('lagging')
  }

  /** One timer for all reads rather than one for each. */
  #listen(): void {
    for (const connection of this.#read) {
      if (connection.silentMilliseconds >= ANSWER_MILLISECONDS) this.#giveUp()
      if (connection.depth === 0) this.#read.delete(connection)
    }
    if (this.#read.size > 0) return
    clearInterval(this.#listening)
    this.#listening = undefined
  }

  #giveUp(): void {
    this.#stopUsing('unreachable')
    this.#connections.drop()
  }

  #stopUsing(state: 'lagging' | 'unreachable'): void {
    this.#become(state)
    this.#probedAt = this.#now()
  }

  #become(state: ReplicaReport['state']): void {
    if (state !== this.#state) this.#changedAt = this.#now()
    this.#state = state
  }

  async #probe(durable: Position): Promise<void> {
    // Only one probe runs at a time.
    this.#probedAt = Number.POSITIVE_INFINITY
    this.#become((await within(ANSWER_MILLISECONDS, answered(this.#examine(durable)))) ?? 'unreachable')
    this.#probedAt = this.#now()
    if (this.#state === 'serving') this.#behind = undefined
  }

  async #examine(durable: Position): Promise<ReplicaReport['state']> {
    const connection = await this.#connections.take()
    const { reached } = await this.ask(connection)
    const primary = this.#primary()
    if (connection.cluster !== primary?.cluster) return 'foreign'
    if (!reached && connection.server === primary.server) return 'primary'
    return covers(reached, durable) ? 'serving' : 'lagging'
  }
}

interface Looked {
  readonly connection: PgConnection
  readonly reached: Position | undefined
}

/** A replica that does not respond is not a failure: the primary has the same rows. */
export function answered<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch(() => undefined)
}

/**
 * Checks one listed server, for `doctor`; throws if it cannot be used. Where a cluster chooses its primary, all servers
 * are listed, and the primary is one of them.
 */
export async function pingReplica(store: string, url: string, primaryUrl: string): Promise<'replica' | 'primary'> {
  const pool = (of: string, role: ServerRole) =>
    new ConnectionPool({ url: of, role, connections: 1, now: () => performance.now() })
  const [listed, primary] = [pool(url, 'replica'), pool(primaryUrl, 'primary')]
  try {
    const connection = await listed.take()
    const { reached } = await connection.ask()
    if (reached) return 'replica'
    if ((await primary.take()).server === connection.server) return 'primary'
    throw new Error('it replays nothing: it is neither a replica nor the primary')
  } catch (error) {
    throw translated(store, error)
  } finally {
    await Promise.all([listed.close(), primary.close()])
  }
}
