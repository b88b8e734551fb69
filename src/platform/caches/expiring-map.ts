const AT_MOST = 10_000

/** Numbers that only this process remembers. When the map is full, the oldest are dropped. */
export class ExpiringMap {
  readonly #numbers: Map<string, number>

  constructor(numbers = new Map<string, number>()) {
    this.#numbers = numbers
  }

  recall(key: string): number | undefined {
    return this.#numbers.get(key)
  }

  remember(key: string, value: number): void {
    this.#numbers.delete(key)
    this.#numbers.set(key, value)
    if (this.#numbers.size > AT_MOST) this.#forgetOldest()
  }

  forget(key: string): void {
    this.#numbers.delete(key)
  }

  #forgetOldest(): void {
    for (const oldest of this.#numbers.keys()) {
      this.#numbers.delete(oldest)
      return
    }
  }
}
