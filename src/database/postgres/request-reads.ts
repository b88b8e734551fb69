import type { ReadPosition, StoreReads } from '../read-position.ts'
import { formatPosition, later, type Position, parsePosition } from './replicas/lsn.ts'

/** Marks the position of a request that read a replica: the primary may not show all of it yet. */
const AHEAD = 'r'

/** What one request has seen of one store, so that no later statement sees less. */
export class RequestReads implements StoreReads {
  readonly #asked: Position | undefined
  #seen: Promise<Position | undefined>[] = []
  #onPrimary = false
  #isAhead: boolean

  constructor(readPosition: ReadPosition, store: string) {
    const asked = readPosition.asked(store) ?? ''
    this.#isAhead = asked.endsWith(AHEAD)
    this.#asked = parsePosition(this.#isAhead ? asked.slice(0, -AHEAD.length) : asked)
    readPosition.noteReads(store, this)
  }

  /** The position a replica must have replayed to serve the next read; undefined if only the primary can. */
  async floor(): Promise<Position | undefined> {
    if (this.#onPrimary || !this.#asked) return undefined
    return this.#seen.length === 0 ? this.#asked : this.#latest([this.#asked])
  }

  /** A replica has shown this request something that the primary may not show yet. */
  get isAhead(): boolean {
    return this.#isAhead
  }

  /** The primary shows all of it now. */
  caughtUp(): void {
    this.#isAhead = false
  }

  /** Notes that a replica served a statement, and its position then; unknown if it did not report one. */
  seenOnReplica(position: Promise<Position | undefined>): void {
    this.#isAhead = true
    this.#seen.push(position.catch(() => undefined))
  }

  /** Sends the rest of this request to the primary: replicas may lack what it has seen. */
  seenOnPrimary(position: Promise<Position | undefined>): void {
    if (!this.#onPrimary) this.#seen = []
    this.#onPrimary = true
    this.#seen.push(position.catch(() => undefined))
  }

  async position(): Promise<string | undefined> {
    // The primary's own position replaces the bookmark's, so a forged one from the future ends here.
    const last = await this.#latest(this.#onPrimary ? [] : [this.#asked])
    return last && `${formatPosition(last)}${this.#isAhead ? AHEAD : ''}`
  }

  async #latest(start: readonly (Position | undefined)[]): Promise<Position | undefined> {
    const positions = [...start, ...(await Promise.all(this.#seen))]
    return positions.reduce((a, b) => a && b && later(a, b))
  }
}
