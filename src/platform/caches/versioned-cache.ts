import { forOthersToo } from '../../database/current-request.ts'
import { within } from '../../rules/time.ts'

const LONGEST_WAIT_MILLISECONDS = 250
/** Enough for the roles of every organisation in use. What makes room is read again. */
const AT_MOST = 10_000

/** A number only if it can never repeat, such as one made from the time. */
type Version = string | number

interface Versioned {
  readonly version: Version
  readonly value: Promise<unknown>
}

/** Remembers one value per name for as long as its version is in force. */
export class VersionedCache {
  readonly #values: Map<string, Versioned>
  readonly #loaded = new Map<string, Promise<unknown>>()
  readonly #underWay = new Map<string, Promise<unknown>>()

  constructor(values = new Map<string, Versioned>()) {
    this.#values = values
  }

  /** Loads at most once per version, even for many callers at once. */
  read<T>(name: string, version: Version, load: () => Promise<T>): Promise<T> {
    const known = this.#values.get(name)
    if (known?.version === version) return known.value as Promise<T>
    const value = forOthersToo(load)
    const versioned = { version, value }
    this.#values.set(name, versioned)
    if (this.#values.size > AT_MOST) this.#forgetOldest()
    value.catch(() => this.#forget(name, versioned))
    return value
  }

  /**
   * The former value while a newer one is loaded. Waits for the very first one; if that takes too long, `meanwhile`
   * makes one up.
   */
  async latest<T>(name: string, version: Version, load: () => Promise<T>, meanwhile: () => T): Promise<T> {
    const newest = this.read(name, version, load)
    const former = this.#loaded.get(name) as Promise<T> | undefined
    newest.then(
      () => this.#loaded.set(name, newest),
      // It is loaded again for the next caller.
      () => undefined,
    )
    return former ?? (await within(LONGEST_WAIT_MILLISECONDS, newest)) ?? meanwhile()
  }

  #forgetOldest(): void {
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest)
      return
    }
  }

  /** Keeps a newer version that has taken its place. */
  #forget(name: string, versioned: Versioned): void {
    if (this.#values.get(name) === versioned) this.#values.delete(name)
  }

  /** Runs once for all callers that come while it runs; the next caller starts it again. */
  share<T>(name: string, run: () => Promise<T>): Promise<T> {
    const known = this.#underWay.get(name)
    if (known) return known as Promise<T>
    const value = forOthersToo(run).finally(() => this.#underWay.delete(name))
    this.#underWay.set(name, value)
    return value
  }
}
