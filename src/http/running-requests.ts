/**
 * Includes requests whose client has left. They are counted rather than kept: V8 drops a set's old tables late, and
 * finished requests with them.
 */
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
