import type { QueryClient } from '@tanstack/react-query'
import { get } from './api.ts'
import type { SignedIn } from './auth.ts'
import { sessionQuery } from './session.ts'

/**
 * A browser can show a page again as it was left, without loading it: it stays hidden until the session was checked,
 * and is loaded anew if that belongs to somebody else by now.
 */
export function followRestoredPages(queryClient: QueryClient): void {
  const show = (isShown: boolean) => {
    document.body.hidden = !isShown
  }
  addEventListener('pagehide', ({ persisted }) => show(!persisted))
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    show(false)
    const before = queryClient.getQueryData<SignedIn | null>(sessionQuery.queryKey)
    // Not by the query, which could ask while the page is hidden.
    get('/api/auth/get-session').then(
      (now) => (now?.user.id === before?.user.id ? show(true) : location.reload()),
      () => location.reload(),
    )
  })
}
