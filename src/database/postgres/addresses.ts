import { addressesOf } from '../../config/addresses.ts'

/**
 * The servers of one store, one of which accepts writes. Each attempt begins with the last one found, so that a lost
 * server costs time only once.
 */
export class Addresses {
  readonly #urls: readonly string[]
  #found = 0

  constructor(url: string) {
    this.#urls = addressesOf(url)
  }

  /** Opens the first address that works. If none does, throws the last one's error. */
  async open<T>(open: (url: string) => Promise<T>): Promise<T> {
    const count = this.#urls.length
    let failure: unknown
    for (let i = 0; i < count; i++) {
      const at = (this.#found + i) % count
      try {
        const opened = await open(this.#urls[at] ?? '')
        this.#found = at
        return opened
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }
}
