/** Wakes code that waits for something, in this process and as soon as possible in the others. */
export interface Signals {
  send(topic: string): void
  /** Wakes those of this process alone. */
  wake(topic: string): void
  listen(topic: string): Listening
  /** Lasts as long as the process. */
  onSignal(topic: string, listener: () => void): void
  /** The longest wait before looking again: a signal can be lost, or never come from another process. */
  readonly pollMilliseconds: number
  close(): Promise<void>
}

/**
 * A poll is one short indexed statement. On average, another process notices a change after half of this time.
 */
const POLL_MILLISECONDS = 250

export interface Listening {
  /** Resolves with the next signal, at once if there was one since the last call, or when the time is up. */
  next(milliseconds: number): Promise<void>
  stop(): void
}

/** Reaches the listeners of one process. */
export class LocalSignals implements Signals {
  readonly pollMilliseconds = POLL_MILLISECONDS
  readonly #listeners = new Map<string, Set<() => void>>()

  send(topic: string): void {
    this.wake(topic)
  }

  wake(topic: string): void {
    for (const wake of [...(this.#listeners.get(topic) ?? [])]) wake()
  }

  listen(topic: string): Listening {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners)
    let isSent = false
    let resolve: (() => void) | undefined
    const wake = () => {
      isSent = true
      resolve?.()
    }
    listeners.add(wake)
    return {
      async next(milliseconds) {
        if (!isSent) {
          const { promise, resolve: done } = Promise.withResolvers<void>()
          resolve = done
          const late = setTimeout(done, milliseconds)
          await promise
          clearTimeout(late)
        }
        isSent = false
      },
      stop() {
        listeners.delete(wake)
        resolve?.()
      },
    }
  }

  onSignal(topic: string, listener: () => void): void {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(listener))
  }

  /** Wakes every listener, in case a signal was missed. */
  sendAll(): void {
    for (const topic of this.#listeners.keys()) this.send(topic)
  }

  async close(): Promise<void> {
    this.sendAll()
  }
}
