import { forOthersToo } from '../current-request.ts'
import type { Connections } from '../store.ts'
import { ServerAddresses } from './addresses.ts'
import { PgConnection } from './pg-connection.ts'

interface Options {
  readonly url: string
  /** The maximum. */
  readonly connections: number
  readonly now: () => number
}

const WAITING_AT_MOST = 1_000

/** Connections that each serve one decision at a time; those of `ConnectionPool` carry everybody's statements. */
export class ReservedConnections {
  readonly #options: Options
  readonly #addresses: ServerAddresses
  readonly #idle: PgConnection[] = []
  readonly #all = new Set<PgConnection>()
  readonly #waiting: PromiseWithResolvers<PgConnection>[] = []
  #opening = 0
  #closed = false

  constructor(options: Options) {
    this.#options = options
    this.#addresses = new ServerAddresses(options.url)
  }

  async take(): Promise<PgConnection> {
    if (this.#closed) throw new Error('the store is closed')
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#all.size + this.#opening < this.#options.connections) return this.#open()
    if (this.#waiting.length >= WAITING_AT_MOST) throw new Error('too many decisions are waiting')
    const next = Promise.withResolvers<PgConnection>()
    this.#waiting.push(next)
    return next.promise
  }

  /** The connection must not be in a transaction. */
  give(connection: PgConnection): void {
    if (!this.#all.has(connection)) return
    const next = this.#waiting.shift()
    if (next) next.resolve(connection)
    else this.#idle.push(connection)
  }

  /** The server rolls back the transaction. */
  drop(connection: PgConnection): void {
    connection.drop()
    this.#forget(connection)
  }

  count(): Connections {
    const idle = this.#idle.length
    return { idle, busy: this.#all.size - idle, waiting: this.#waiting.length }
  }

  /** Fails whatever they are running. */
  dropAll(): void {
    for (const connection of this.#all) connection.drop()
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const waiting of this.#waiting.splice(0)) waiting.reject(new Error('the store is closed'))
    await Promise.all([...this.#all].map((connection) => connection.close()))
  }

  async #open(): Promise<PgConnection> {
    const { now } = this.#options
    this.#opening++
    try {
      const onEnd = (connection: PgConnection) => this.#forget(connection)
      const connection = await forOthersToo(() =>
        this.#addresses.open((url) => PgConnection.open({ url, role: 'primary', now, onEnd })),
      )
      this.#all.add(connection)
      return connection
    } catch (error) {
      // Otherwise the waiting callers would wait for a connection that nobody holds.
      if (this.#all.size === 0) for (const waiting of this.#waiting.splice(0)) waiting.reject(error)
      throw error
    } finally {
      this.#opening--
    }
  }

  #forget(connection: PgConnection): void {
    if (!this.#all.delete(connection)) return
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
    const next = this.#waiting.shift()
    if (next) this.#open().then(next.resolve, next.reject)
  }
}
