import type { Caller } from '../caller.ts'

/** The callers of the requests that were let through, for the handlers behind. */
export class Callers {
  readonly #callers = new WeakMap<object, Caller>()

  keep(request: object, caller: Caller): void {
    this.#callers.set(request, caller)
  }

  of(request: object): Caller {
    const caller = this.#callers.get(request)
    if (!caller) throw new Error('callerOf: this request did not pass `protect`')
    return caller
  }
}
