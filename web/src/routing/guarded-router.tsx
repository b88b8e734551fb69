import { type ReactNode, startTransition, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useUnsavedWork } from '../forms/unsaved.tsx'
import { type Action, browserHistory, type History, type Location } from './history.ts'
import { RoutingProvider } from './router.tsx'

interface State {
  readonly action: Action
  readonly location: Location
}

/** The browser's history. A user who is about to lose unsaved changes is asked first. */
export function GuardedRouter({ children }: { readonly children: ReactNode }) {
  const [history] = useState(browserHistory)
  const [state, setState] = useState<State>(() => ({ action: 'pop', location: history.location }))
  const { has, askToLeave } = useUnsavedWork()
  const isAllowed = useRef(false)

  useLayoutEffect(() => {
    let { pathname } = history.location
    const follow = (next: State) => {
      const isSamePage = next.location.pathname === pathname
      pathname = next.location.pathname
      // A control shows the choice at once; another page can take a while to load.
      if (isSamePage) setState(next)
      else startTransition(() => setState(next))
    }
    return listenToHistory(history, { has, askToLeave, isAllowed, follow })
  }, [history, has, askToLeave])

  const navigate = useMemo(
    () =>
      (to: string, { replace = false } = {}) => {
        if (replace) history.replace(to)
        else if (has() && !isPlaceOf(history.location, to)) askToLeave(() => history.push(to))
        else history.push(to)
      },
    [history, has, askToLeave],
  )
  const routing = useMemo(() => ({ ...state, navigate }), [state, navigate])

  return <RoutingProvider value={routing}>{children}</RoutingProvider>
}

/** A link to another place of the same page leaves nothing behind. */
function isPlaceOf({ pathname, search }: Location, to: string): boolean {
  const url = new URL(to, location.origin)
  return url.hash !== '' && url.pathname === pathname && url.search === search
}

interface Guard {
  has(): boolean
  askToLeave(leave: () => void): void
  /** True for the one step that the user has confirmed. */
  readonly isAllowed: { current: boolean }
  follow(state: State): void
}

/**
 * The browser reports a step back or forward only afterwards, so the step is undone, and then the user is
 * asked.
 */
function listenToHistory(history: History, { has, askToLeave, isAllowed, follow }: Guard): () => void {
  let undoneDelta: number | undefined
  return history.listen(({ action, location, delta }) => {
    if (undoneDelta !== undefined) {
      const step = undoneDelta
      undoneDelta = undefined
      askToLeave(() => {
        isAllowed.current = true
        history.go(step)
      })
      return
    }
    if (action === 'pop' && has() && !isAllowed.current && delta !== 0) {
      undoneDelta = delta
      history.go(-delta)
      return
    }
    isAllowed.current = false
    follow({ action, location })
  })
}
