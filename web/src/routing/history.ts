export interface Location {
  readonly pathname: string
  readonly search: string
  readonly hash: string
}

/** `pop`: back, forward, or the page that the browser opened. */
export type Action = 'pop' | 'push' | 'replace'

interface Step {
  readonly action: Action
  readonly location: Location
  /** The length of a step back or forward. */
  readonly delta: number
}

export interface History {
  readonly location: Location
  push(to: string): void
  replace(to: string): void
  go(delta: number): void
  /** Returns a function that stops this. */
  listen(listener: (step: Step) => void): () => void
}

/** The browser's history. Each entry has its number, so that a step back or forward can be undone. */
export function browserHistory(): History {
  let number = numberOf(history.state) ?? 0
  const listeners = new Set<(step: Step) => void>()
  const tell = (action: Action, delta: number) => {
    for (const listener of listeners) listener({ action, location: here(), delta })
  }
  if (numberOf(history.state) === undefined) history.replaceState({ number }, '')
  addEventListener('popstate', ({ state }) => {
    const before = number
    const known = numberOf(state)
    number = known ?? before + 1
    if (known !== undefined) return tell('pop', number - before)
    // The browser has gone to a place on the page by itself, which is an entry of its own.
    history.replaceState({ number }, '')
    tell('push', 1)
  })
  return {
    get location() {
      return here()
    },
    push(to) {
      number += 1
      history.pushState({ number }, '', to)
      tell('push', 1)
    },
    replace(to) {
      history.replaceState({ number }, '', to)
      tell('replace', 0)
    },
    go: (delta) => history.go(delta),
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function here(): Location {
  const { pathname, search, hash } = location
  return { pathname, search, hash }
}

function numberOf(state: unknown): number | undefined {
  const isOurs = typeof state === 'object' && state !== null && 'number' in state
  return isOurs ? Number(state.number) : undefined
}
