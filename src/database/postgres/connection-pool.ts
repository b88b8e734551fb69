import { DatabaseError } from 'pg'
import { forOthersToo } from '../current-request.ts'
import { type Connections, NoHostServes } from '../store.ts'
import { ServerAddresses } from './addresses.ts'
import { PgConnection } from './pg-connection.ts'
import type { ServerRole } from './replicas/wal-position.ts'

interface PoolOptions {
  readonly url: string
  readonly role: ServerRole
  /** The maximum. */
  readonly connections: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

const WAITING_AT_MOST = 200
const SILENCE_MILLISECONDS = 2_000

/** The connections to one server: few, bounded, each carrying many statements at once. */
export class ConnectionPool {
  readonly #options: PoolOptions
  readonly #addresses: ServerAddresses
  readonly #connections: PgConnection[] = []
  #opening: Promise<PgConnection> | undefined
  #probing: Promise<void> | undefined
  /** Callers that wait because all open connections are full. */
  #awaiting = 0
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#addresses = new ServerAddresses(options.url)
  }

  /**
   * The least busy connection. Waits only for the first one to open, or for another one if all that are open
   * are full.
   */
  async take(): Promise<PgConnection> {
    const connection = this.idlest()
    const isReady =
      connection && connection.silentMilliseconds < SILENCE_MILLISECONDS && connection.depth < WAITING_AT_MOST
    return isReady ? connection : this.#takeWithCare(connection)
  }

  async #takeWithCare(idlest: PgConnection | undefined): Promise<PgConnection> {
    const connection = idlest ?? (await this.#open())
    if (connection.silentMilliseconds >= SILENCE_MILLISECONDS) await this.#probe()
    return connection.depth < WAITING_AT_MOST ? connection : this.#takeAnother()
  }

  /** Opens one connection for each waiting caller, up to the maximum. */
  async #takeAnother(): Promise<PgConnection> {
    const missing = this.#options.connections - this.#connections.length
    if (this.#awaiting >= WAITING_AT_MOST * missing) throw new Error('too many statements are waiting')
    this.#awaiting++
    await this.#open().finally(() => this.#awaiting--)
    return this.take()
  }

  /**
   * The connection that gathers this turn's reads, else the least busy. Never waits; opens another one while
   * all are busy.
   */
  idlest(): PgConnection | undefined {
    let least: PgConnection | undefined
    for (const connection of this.#connections) {
      if (connection.isGathering) return connection
      if (least === undefined || connection.depth < least.depth) least = connection
    }
    if ((least === undefined || least.depth > 0) && this.#connections.length < this.#options.connections) this.#grow()
    return least
  }

  /** A connection carries many statements: once all are open and busy, a statement waits behind another. */
  count(): Connections {
    const busy = this.#connections.filter(({ depth }) => depth > 0)
    const isUsedUp = busy.length === this.#options.connections
    const behind = isUsedUp ? busy.reduce((sum, { depth }) => sum + depth - 1, 0) : 0
    return {
      busy: busy.length,
      idle: this.#connections.length - busy.length,
      waiting: this.#awaiting + behind,
    }
  }

  drop(): void {
    for (const connection of this.#connections.splice(0)) connection.drop()
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#opening?.catch(() => undefined)
    await Promise.all(this.#connections.splice(0).map((connection) => connection.close()))
  }

  /** Runs in the background: a caller that needs the connection gets the failure from `take`. */
  #grow(): void {
    this.#open().catch(() => undefined)
  }

  #open(): Promise<PgConnection> {
    this.#opening ??= this.#openOne().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #openOne(): Promise<PgConnection> {
    if (this.#closed) throw new Error('the store is closed')
    const connection = await this.#connect()
    this.#connections.push(connection)
    return connection
  }

  #connect(): Promise<PgConnection> {
    const { role, now } = this.#options
    const onEnd = (connection: PgConnection) => this.#forget(connection)
    return forOthersToo(() => this.#addresses.open((url) => PgConnection.open({ url, role, now, onEnd })))
  }

  /** A server that neither answers nor accepts a connection is gone; the statements it was sent fail. */
  #probe(): Promise<void> {
    this.#probing ??= this.#connect()
      .then(
        (connection) => connection.close(),
        (error) => {
          if (isAlive(error)) return
          this.drop()
          throw error
        },
      )
      .finally(() => {
        this.#probing = undefined
      })
    return this.#probing
  }

  #forget(connection: PgConnection): void {
    const i = this.#connections.indexOf(connection)
    if (i >= 0) this.#connections.splice(i, 1)
  }
}

/** The server refused the connection, for instance because it has no more. */
function isAlive(error: unknown): boolean {
  return error instanceof DatabaseError || (error instanceof NoHostServes && error.hosts.some((host) => host.isAlive))
}
