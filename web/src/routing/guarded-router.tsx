import { type ReactNode, startTransition, useLayoutEffect, useMemo, useRef, useState } from 'react'
import {
  UNSAFE_createBrowserHistory as createHistory,
  type NavigateOptions,
  Router,
  type To,
} from 'react-router'
import { useUnsavedWork } from '../forms/unsaved.tsx'

type History = ReturnType<typeof createHistory>

/** The browser's history; a person who would leave unsaved changes behind is asked first. */
export function GuardedRouter({ children }: { readonly children: ReactNode }) {
  const [history] = useState(() => createHistory({ v5Compat: true }))
  const [{ action, location }, setState] = useState({ action: history.action, location: history.location })
  const { has, askToLeave } = useUnsavedWork()
  const isAllowed = useRef(false)

  useLayoutEffect(() => {
    let { pathname } = history.location
    const follow = () => {
      const { action, location } = history
      const isSamePage = location.pathname === pathname
      pathname = location.pathname
      // A control shows at once what was chosen; another page may take its time to load.
      if (isSamePage) setState({ action, location })
      else startTransition(() => setState({ action, location }))
    }
    return listenToHistory(history, { has, askToLeave, isAllowed, follow })
  }, [history, has, askToLeave])

  const navigator = useMemo(
    () => ({
      ...history,
      push: (to: To, state: unknown, _: NavigateOptions | undefined) => {
        if (has()) askToLeave(() => history.push(to, state))
        else history.push(to, state)
      },
    }),
    [history, has, askToLeave],
  )

  return (
    <Router location={location} navigationType={action} navigator={navigator}>
      {children}
    </Router>
  )
}

interface Guard {
  has(): boolean
  askToLeave(leave: () => void): void
  /** True for the one step that the person has agreed to. */
  readonly isAllowed: { current: boolean }
  follow(): void
}

/** The browser has gone back or forward before it says so: that step is taken back, then asked about. */
function listenToHistory(history: History, { has, askToLeave, isAllowed, follow }: Guard): () => void {
  let isTakingBack = false
  return history.listen(({ action, delta }) => {
    if (isTakingBack) {
      isTakingBack = false
      askToLeave(() => {
        isAllowed.current = true
        history.go(delta === null ? -1 : -delta)
      })
      return
    }
    if (action === 'POP' && has() && !isAllowed.current && delta) {
      isTakingBack = true
      history.go(-delta)
      return
    }
    isAllowed.current = false
    follow()
  })
}
