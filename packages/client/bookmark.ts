const HEADER = 'x-db-meta-bookmark'
const FROM_PRIMARY = 'first-primary'

/**
 * The newest state that this client has seen: its next read is at least as recent. Bookmarks are opaque, so
 * which of two simultaneous responses is later is unknown, and the next request reads from the primary.
 */
export class Bookmark {
  #current: string | undefined

  addTo(headers: Headers): string | undefined {
    if (this.#current !== undefined) headers.set(HEADER, this.#current)
    return this.#current
  }

  keep(sent: string | undefined, answered: Headers): void {
    const next = answered.get(HEADER)
    if (next === null || next === this.#current || next === sent) return
    this.#current = this.#current === sent ? next : FROM_PRIMARY
  }
}
