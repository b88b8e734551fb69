import type { Service } from '../options.ts'
import { isObject, readJson, Unavailable } from '../read-answer.ts'
import { importKey, type VerifyingKey } from './signature.ts'

const FRESH_MILLISECONDS = 10 * 60_000
const PAUSE_MILLISECONDS = 5_000
const PATIENCE_MILLISECONDS = 4_000
const MOST_KEYS = 50

/** The keys that Gatehouse publishes. A key is published a day before it signs, so a short memory is enough. */
export class KeySet {
  readonly #service: Service
  #keys: ReadonlyMap<string, VerifyingKey> = new Map()
  #loadedAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY
  #loading: Promise<void> | undefined

  constructor(service: Service) {
    this.#service = service
  }

  /** Undefined for a key that Gatehouse does not publish; throws `Unavailable` if the keys cannot be read. */
  async find(kid: string): Promise<VerifyingKey | undefined> {
    const known = this.#isFresh ? this.#keys.get(kid) : undefined
    if (known) return known
    // Forged key ids cause at most one request in five seconds.
    const isPausing = this.#service.clock.steady() < this.#triedAt + PAUSE_MILLISECONDS
    if (!isPausing || this.#loading) await this.#load()
    else if (!this.#isFresh) throw new Unavailable('the keys could not be read')
    return this.#keys.get(kid)
  }

  get #isFresh(): boolean {
    return this.#service.clock.steady() < this.#loadedAt + FRESH_MILLISECONDS
  }

  async #load(): Promise<void> {
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #read(): Promise<void> {
    const { ask, address, clock } = this.#service
    const startedAt = clock.steady()
    this.#triedAt = startedAt
    const signal = AbortSignal.timeout(PATIENCE_MILLISECONDS)
    const response = await ask(`${address}/api/auth/jwks`, { redirect: 'error', signal }).catch((cause) => {
      throw new Unavailable('the keys could not be read', { cause })
    })
    const body = await readJson(response)
    if (!isObject(body) || !Array.isArray(body.keys)) throw new Unavailable('the response has no keys')
    const imported = await Promise.all(body.keys.slice(0, MOST_KEYS).map(importKey))
    this.#keys = new Map(imported.flatMap((key) => (key ? [[key.kid, key]] : [])))
    this.#loadedAt = startedAt
  }
}
