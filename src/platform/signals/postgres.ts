import { sql } from 'kysely'
import { PgNotices } from '../../database/postgres/notices.ts'
import type { Meta } from '../../database/store.ts'
import type { Log } from '../log/log.ts'
import { type Listening, LocalSignals, type Signals } from './signals.ts'

const CHANNEL = 'gatehouse'
/** Used while signals arrive. One can still be lost with the connection of the process that sends it. */
const POLL_MILLISECONDS = 1_000

/** Reaches the other processes of a global store through the server's `LISTEN` and `NOTIFY`. */
export class PostgresSignals implements Signals {
  readonly #local = new LocalSignals()
  readonly #meta: Meta
  readonly #log: Log
  readonly #notices: PgNotices
  readonly #sending = new Map<string, 'sent' | 'again'>()

  constructor(url: string, meta: Meta, log: Log) {
    this.#meta = meta
    this.#log = log
    this.#notices = new PgNotices(url, CHANNEL, {
      heard: (topic) => this.#local.send(topic),
      opened: () => this.#local.sendAll(),
      lost: (error) => log.warn({ error }, 'signals from other processes are missed; polling the store instead'),
    })
  }

  get pollMilliseconds(): number {
    return this.#notices.isOpen ? POLL_MILLISECONDS : this.#local.pollMilliseconds
  }

  wake(topic: string): void {
    this.#local.wake(topic)
  }

  send(topic: string): void {
    this.wake(topic)
    if (this.#sending.has(topic)) this.#sending.set(topic, 'again')
    else void this.#notify(topic)
  }

  listen(topic: string): Listening {
    this.#notices.open()
    return this.#local.listen(topic)
  }

  onSignal(topic: string, listener: () => void): void {
    this.#notices.open()
    this.#local.onSignal(topic, listener)
  }

  async close(): Promise<void> {
    await this.#local.close()
    await this.#notices.close()
  }

  /** Signals sent while one is under way go out as one, after it. */
  async #notify(topic: string): Promise<void> {
    do {
      this.#sending.set(topic, 'sent')
      try {
        await sql`select pg_notify(${CHANNEL}, ${topic})`.execute(this.#meta.primary)
      } catch (error) {
        this.#log.warn({ error }, 'a signal did not reach the other processes')
      }
    } while (this.#sending.get(topic) === 'again')
    this.#sending.delete(topic)
  }
}
