/** Lets every actor pass, or none; reports when all of them are waiting. */
export class Gate {
  readonly #members: number
  #opened = Promise.withResolvers<void>()
  #isOpen = true
  #waiting = 0
  #gathered = Promise.withResolvers<void>()

  constructor(members: number) {
    this.#members = members
  }

  async pass(): Promise<void> {
    if (this.#isOpen) return
    this.#waiting++
    if (this.#waiting === this.#members) this.#gathered.resolve()
    await this.#opened.promise
  }

  /** Resolves when no act is under way. */
  close(): Promise<void> {
    this.#isOpen = false
    this.#waiting = 0
    this.#opened = Promise.withResolvers()
    this.#gathered = Promise.withResolvers()
    return this.#gathered.promise
  }

  open(): void {
    this.#isOpen = true
    this.#opened.resolve()
  }
}
