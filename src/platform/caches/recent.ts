/** Values that this process has worked out lately, each good for one version; the oldest make room. */
export class Recent {
  readonly #values = new Map<string, Remembered>()
  readonly #atMost: number
  #weight = 0

  /** The sum of what the values weigh, in units of whoever remembers them. */
  constructor(atMost: number) {
    this.#atMost = atMost
  }

  recall<T>(key: string, version: string): T | undefined {
    const known = this.#values.get(key)
    return known?.version === version ? heldIn<T>(known) : undefined
  }

  remember(key: string, version: string, value: unknown, weight: number): void {
    this.#forget(key)
    this.#values.set(key, { version, value, weight })
    this.#weight += weight
    for (const oldest of this.#values.keys()) {
      if (this.#weight <= this.#atMost) return
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    this.#weight -= this.#values.get(key)?.weight ?? 0
    this.#values.delete(key)
  }
}

interface Remembered {
  readonly version: string
  readonly value: unknown
  readonly weight: number
}

/** A key belongs to one caller, who gets back what that caller put in. */
function heldIn<T>({ value }: Remembered): T {
  return value as T
}
