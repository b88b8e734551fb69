import { NameNotResolved } from './name-not-resolved.ts'

/** The caller that waits for a look-up. */
export interface Asker {
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal
  /** The caller's network, if the kind of look-up limits each network's places. */
  readonly network?: string
}

/** The number of look-ups of a kind that can wait at once, and how many of them one network can have begun. */
export interface Places {
  readonly inAll: number
  readonly forNetwork?: number
}

type Find<T> = (name: string, signal: AbortSignal) => Promise<T>

/**
 * Look-ups of one kind, which take places from no other kind. Callers that need the same name share one; it is cancelled,
 * and its place is free, when the last of them has left.
 */
export class LookUps<T> {
  readonly #places: Places
  readonly #find: Find<T>
  readonly #underWay = new Map<string, LookUp<T>>()

  constructor(places: Places, find: Find<T>) {
    this.#places = places
    this.#find = find
  }

  async find(name: string, { signal, network }: Asker): Promise<T> {
    signal.throwIfAborted()
    const lookUp = this.#underWay.get(name) ?? this.#begin(name, network)
    return lookUp.joinedUntil(signal)
  }

  #begin(name: string, network: string | undefined): LookUp<T> {
    if (!this.#hasPlace(network)) throw new NameNotResolved(name, 'no place')
    const free = () => {
      if (this.#underWay.get(name) === lookUp) this.#underWay.delete(name)
    }
    const lookUp = new LookUp((signal) => this.#find(name, signal), network, free)
    this.#underWay.set(name, lookUp)
    return lookUp
  }

  #hasPlace(network: string | undefined): boolean {
    const { inAll, forNetwork } = this.#places
    if (this.#underWay.size >= inAll) return false
    if (forNetwork === undefined || network === undefined) return true
    const ofNetwork = [...this.#underWay.values()].filter((one) => one.network === network)
    return ofNetwork.length < forNetwork
  }
}

class LookUp<T> {
  readonly network: string | undefined
  readonly #free: () => void
  readonly #cancelled = new AbortController()
  readonly #found: Promise<T>
  #waiting = 0

  constructor(find: (signal: AbortSignal) => Promise<T>, network: string | undefined, free: () => void) {
    this.network = network
    this.#free = free
    this.#found = find(this.#cancelled.signal).finally(free)
    // A caller that leaves gets an error of its own, so nothing handles this one after the last has left.
    this.#found.catch(() => undefined)
  }

  async joinedUntil(signal: AbortSignal): Promise<T> {
    const left = Promise.withResolvers<never>()
    const leave = () => {
      left.reject(signal.reason)
      if (--this.#waiting > 0) return
      this.#free()
      this.#cancelled.abort()
    }
    this.#waiting++
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([this.#found, left.promise])
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }
}
