import { Link } from './postgres-link.ts'
import type { Role } from './postgres-standing.ts'

const WAITING_AT_MOST = 200

/** The connections to one server: few, bounded, each carrying many statements at once. */
export class Links {
  readonly #url: string
  readonly #role: Role
  readonly #most: number
  readonly #links: Link[] = []
  #opening: Promise<Link> | undefined
  #closed = false

  constructor(url: string, role: Role, most: number) {
    this.#url = url
    this.#role = role
    this.#most = most
  }

  /** The least busy connection; the first one is waited for. */
  async take(): Promise<Link> {
    const link = this.idlest() ?? (await this.#open())
    if (link.depth >= WAITING_AT_MOST) throw new Error('too many statements are waiting')
    return link
  }

  /** Never waits. While all are busy another one is opened, up to the bound. */
  idlest(): Link | undefined {
    let least: Link | undefined
    for (const link of this.#links) if (least === undefined || link.depth < least.depth) least = link
    if ((least === undefined || least.depth > 0) && this.#links.length < this.#most) this.#grow()
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
    const link = await Link.open(this.#url, this.#role, (ended) => this.#forget(ended))
    this.#links.push(link)
    return link
  }

  #forget(link: Link): void {
    const i = this.#links.indexOf(link)
    if (i >= 0) this.#links.splice(i, 1)
  }
}
