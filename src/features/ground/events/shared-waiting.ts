import { setImmediate as nextTurn } from 'node:timers/promises'
import { forOthersToo } from '../../../database/current-request.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Listening } from '../../../platform/signals/signals.ts'
import { ORDER_MOVED } from './order.ts'
import { lastPosition } from './store.ts'

const gathering = new WeakMap<Platform, Map<string, Promise<unknown>>>()

/** Those who ask the same in one turn of the event loop get one answer, which is read after all of them have asked. */
export function together<T>(platform: Platform, asked: string, read: () => Promise<T>): Promise<T> {
  const answers = gathering.get(platform) ?? new Map<string, Promise<unknown>>()
  gathering.set(platform, answers)
  const gathered = answers.get(asked)
  if (gathered) return gathered as Promise<T>
  const answer = forOthersToo(async () => {
    await nextTurn()
    answers.delete(asked)
    return read()
  })
  answers.set(asked, answer)
  return answer
}

const watches = new WeakMap<Platform, Watch>()

/** Hears of each move of the order, also of one without a signal. */
export function listenForMoves(platform: Platform): Listening {
  const watch = watches.get(platform) ?? new Watch(platform)
  watches.set(platform, watch)
  return watch.listen()
}

/** Looks for all who wait, so that a thousand of them cost one look. */
class Watch {
  readonly #platform: Platform
  #waiting = 0
  #last: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(platform: Platform) {
    this.#platform = platform
    platform.ending.addEventListener('abort', () => platform.signals.wake(ORDER_MOVED), { once: true })
  }

  listen(): Listening {
    const { next, stop } = this.#platform.signals.listen(ORDER_MOVED)
    if (++this.#waiting === 1) this.#lookLater()
    let isListening = true
    return {
      next,
      stop: () => {
        stop()
        if (isListening) this.#waiting--
        isListening = false
      },
    }
  }

  #lookLater(): void {
    this.#timer ??= setTimeout(() => this.#look(), this.#platform.signals.pollMilliseconds).unref()
  }

  async #look(): Promise<void> {
    const { meta, signals } = this.#platform
    if (this.#waiting > 0) {
      // A failed look wakes the waiting requests: their own reading then says what is wrong with the store.
      const last = await lastPosition(meta).catch(() => undefined)
      if (last === undefined || last !== this.#last) signals.wake(ORDER_MOVED)
      this.#last = last
    }
    this.#timer = undefined
    if (this.#waiting > 0) this.#lookLater()
  }
}
