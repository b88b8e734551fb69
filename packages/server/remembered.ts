/**
 * A map that drops entries unused for a long time. It has two generations: when the young one is full it becomes
 * the old one, and what is used there moves over; so nothing has to be searched, and memory is bounded.
 */
export class Remembered<Value> {
  readonly #atMost: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  constructor(atMost: number) {
    this.#atMost = Math.ceil(atMost / 2)
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#atMost) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  keepOnly(isKept: (value: Value) => boolean): void {
    for (const generation of [this.#young, this.#old])
      for (const [key, value] of generation) if (!isKept(value)) generation.delete(key)
  }
}
