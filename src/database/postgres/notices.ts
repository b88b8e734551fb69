import pg from 'pg'
import { addressesOf } from '../../config/addresses.ts'
import { connectionOptions } from './connection-options.ts'

interface Hearing {
  heard(payload: string): void
  /** Every later signal arrives; earlier ones may have been missed. */
  opened(): void
  lost(error: unknown): void
}

const REOPEN_MILLISECONDS = 500
/** A connection that the network has silently cut looks like an idle one. */
const BEAT_MILLISECONDS = 5_000
const BEAT_ANSWER_MILLISECONDS = 2_000

/** A connection that listens on one channel, and is opened again whenever it is lost. */
export class PgNotices {
  readonly #urls: readonly string[]
  #attempts = 0
  readonly #channel: string
  readonly #hearing: Hearing
  #client: pg.Client | undefined
  #isOpen = false
  #isStarted = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #opening: Promise<void> = Promise.resolve()

  constructor(url: string, channel: string, hearing: Hearing) {
    this.#urls = addressesOf(url)
    this.#channel = channel
    this.#hearing = hearing
  }

  /** True while no signal can be missed. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Starts in the background; later calls do nothing. */
  open(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#opening = this.#connect()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#isOpen = false
    clearTimeout(this.#timer)
    await this.#opening
    const client = this.#client
    if (!client) return
    const late = setTimeout(() => client.connection.stream.destroy(), BEAT_ANSWER_MILLISECONDS)
    await client.end().finally(() => clearTimeout(late))
  }

  async #connect(): Promise<void> {
    if (this.#isClosed) return
    const client = new pg.Client({
      ...connectionOptions(this.#urls[this.#attempts++ % this.#urls.length] ?? ''),
      application_name: 'gatehouse-signals',
      query_timeout: BEAT_ANSWER_MILLISECONDS,
    })
    this.#client = client
    // An unhandled error event would end the process; `end` follows.
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, new Error('the connection has ended')))
    client.on('notification', ({ payload }) => this.#hearing.heard(payload ?? ''))
    try {
      await client.connect()
      // Fails on a replica, which receives no signals.
      await client.query('select pg_current_wal_lsn()')
      await client.query(`listen ${client.escapeIdentifier(this.#channel)}`)
    } catch (error) {
      return this.#lose(client, error)
    }
    if (this.#client !== client || this.#isClosed) return
    this.#isOpen = true
    this.#hearing.opened()
    this.#beatLater(client)
  }

  #beatLater(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      client.query('select 1').then(
        () => this.#client === client && !this.#isClosed && this.#beatLater(client),
        (error) => this.#lose(client, error),
      )
    }, BEAT_MILLISECONDS).unref()
  }

  #lose(client: pg.Client, error: unknown): void {
    if (this.#client !== client) return
    this.#client = undefined
    if (this.#isOpen) this.#hearing.lost(error)
    this.#isOpen = false
    clearTimeout(this.#timer)
    client.connection.stream.destroy()
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#opening = this.#connect()
    }, REOPEN_MILLISECONDS).unref()
  }
}
