/** Also those whose sender has left. They are counted: a set of them would make each outlive several collections. */
export class RunningRequests {
  #count = 0
  readonly #ended = Promise.withResolvers<void>()
  #isEnding = false
  readonly #end = () => {
    this.#count--
    this.#settle()
  }

  add(request: Promise<unknown>): void {
    this.#count++
    request.then(this.#end, this.#end)
  }

  /** Resolves when none is left. */
  ended(): Promise<void> {
    this.#isEnding = true
    this.#settle()
    return this.#ended.promise
  }

  #settle(): void {
    if (this.#isEnding && this.#count === 0) this.#ended.resolve()
  }
}
