import { formatPosition, later, type Position, parsePosition } from './lsn.ts'
import type { Place } from './place.ts'

/** What one request has seen of one store, so that it never sees less in a later statement. */
export class Journey {
  readonly #asked: Position | undefined
  #seen: Promise<Position | undefined>[] = []
  #onPrimary = false

  constructor(place: Place, store: string) {
    const asked = place.asked(store)
    this.#asked = asked === undefined ? undefined : parsePosition(asked)
    place.reached(store, () => this.#position())
  }

  /** What a replica must have replayed to serve the next read; undefined where only the primary may. */
  async floor(): Promise<Position | undefined> {
    if (this.#onPrimary || !this.#asked) return undefined
    const seen = await Promise.all(this.#seen)
    return seen.reduce((a, b) => a && b && later(a, b), this.#asked)
  }

  /** From now on the primary: what it showed may be on no replica yet. */
  stayOnPrimary(): void {
    if (!this.#onPrimary) this.#seen = []
    this.#onPrimary = true
  }

  /** Where the server stood after serving a statement; unknown where it did not say. */
  note(position: Promise<Position | undefined>): void {
    this.#seen.push(position.catch(() => undefined))
  }

  async #position(): Promise<string | undefined> {
    // The primary's own position stands alone: a forged bookmark from the future ends here.
    const start = this.#onPrimary ? [] : [this.#asked]
    const positions = [...start, ...(await Promise.all(this.#seen))]
    const last = positions.reduce((a, b) => a && b && later(a, b))
    return last && formatPosition(last)
  }
}
