import { DatabaseError } from 'pg'
import { Link } from './pg-connection.ts'
import type { Role } from './wal-position.ts'

export interface LinksOptions {
  readonly url: string
  readonly role: Role
  /** At most. */
  readonly connections: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

const WAITING_AT_MOST = 200
const SILENCE_MILLISECONDS = 2_000

/** The connections to one server: few, bounded, each carrying many statements at once. */
export class Links {
  readonly #options: LinksOptions
  readonly #links: Link[] = []
  #opening: Promise<Link> | undefined
  #asking: Promise<void> | undefined
  #closed = false

  constructor(options: LinksOptions) {
    this.#options = options
  }

  /** The least busy connection; the first one is waited for. */
  take(): Link | Promise<Link> {
    const link = this.idlest()
    const isReady = link && link.silentMilliseconds < SILENCE_MILLISECONDS && link.depth < WAITING_AT_MOST
    return isReady ? link : this.#takeWithCare(link)
  }

  async #takeWithCare(idlest: Link | undefined): Promise<Link> {
    const link = idlest ?? (await this.#open())
    if (link.silentMilliseconds >= SILENCE_MILLISECONDS) await this.#askForLife()
    if (link.depth >= WAITING_AT_MOST) throw new Error('too many statements are waiting')
    return link
  }

  /** The one that gathers this turn's reads, else the least busy. Never waits; another one is opened while all are busy. */
  idlest(): Link | undefined {
    let least: Link | undefined
    for (const link of this.#links) {
      if (link.isGathering) return link
      if (least === undefined || link.depth < least.depth) least = link
    }
    if ((least === undefined || least.depth > 0) && this.#links.length < this.#options.connections)
      this.#grow()
    return least
  }

  drop(): void {
    for (const link of this.#links.splice(0)) link.drop()
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#opening?.catch(() => undefined)
    await Promise.all(this.#links.splice(0).map((link) => link.close()))
  }

  /** In the background: whoever needs the connection asks `take` and hears of the failure there. */
  #grow(): void {
    this.#open().catch(() => undefined)
  }

  #open(): Promise<Link> {
    this.#opening ??= this.#openOne().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #openOne(): Promise<Link> {
    if (this.#closed) throw new Error('the store is closed')
    const link = await this.#connect()
    this.#links.push(link)
    return link
  }

  #connect(): Promise<Link> {
    const { url, role, now } = this.#options
    return Link.open({ url, role, now, onEnd: (link) => this.#forget(link) })
  }

  /** A server that neither answers nor lets anybody in is gone, and so is what was asked of it. */
  #askForLife(): Promise<void> {
    this.#asking ??= this.#connect()
      .then(
        (link) => link.close(),
        (error) => {
          // Refused, as where it is full: then it lives.
          if (error instanceof DatabaseError) return
          this.drop()
          throw error
        },
      )
      .finally(() => {
        this.#asking = undefined
      })
    return this.#asking
  }

  #forget(link: Link): void {
    const i = this.#links.indexOf(link)
    if (i >= 0) this.#links.splice(i, 1)
  }
}
