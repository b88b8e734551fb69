/** Counts the requests that are being worked on, also those whose client has left. */
export class RunningRequests {
  #running = 0
  readonly #ended: (() => void)[] = []

  async count<T>(request: T | Promise<T>): Promise<T> {
    this.#running++
    try {
      return await request
    } finally {
      this.#running--
      if (this.#running === 0) for (const resolve of this.#ended.splice(0)) resolve()
    }
  }

  /** Resolves when none is left. */
  async ended(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#ended.push(resolve))
  }
}
