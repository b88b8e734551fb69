import { addressesOf } from '../../config/addresses.ts'
import { NoHostServes } from '../store.ts'
import { hostsOf } from './connection-options.ts'
import { hostFailure } from './errors.ts'

/**
 * The servers of one store, one of which accepts writes. Each attempt begins with the last one found, so that a lost
 * server costs time only once.
 */
export class ServerAddresses {
  readonly #urls: readonly string[]
  #found = 0

  constructor(url: string) {
    this.#urls = addressesOf(url)
  }

  /** Opens the first address that works. If none does, throws what each said. */
  async open<T>(open: (url: string) => Promise<T>): Promise<T> {
    const count = this.#urls.length
    const failures: { readonly url: string; readonly error: unknown }[] = []
    for (let i = 0; i < count; i++) {
      const at = (this.#found + i) % count
      const url = this.#urls[at] ?? ''
      try {
        const opened = await open(url)
        this.#found = at
        return opened
      } catch (error) {
        failures.push({ url, error })
      }
    }
    if (count === 1) throw failures[0]?.error
    throw new NoHostServes(failures.map(({ url, error }) => hostFailure(hostsOf(url), error)))
  }
}
