/** Counts the requests that are being worked on, also those whose client has left. */
export class RunningRequests {
  #running = 0
  readonly #ended: (() => void)[] = []
  readonly #countOut = () => {
    this.#running--
    if (this.#running === 0) for (const resolve of this.#ended.splice(0)) resolve()
  }

  /** Returns the request itself: waiting for a promise around it takes longer than counting. */
  count<T>(request: T | Promise<T>): T | Promise<T> {
    if (!(request instanceof Promise)) return request
    this.#running++
    request.then(this.#countOut, this.#countOut)
    return request
  }

  /** Resolves when none is left. */
  async ended(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#ended.push(resolve))
  }
}
