import type { QueryClient } from '@tanstack/react-query'
import { pages, type Source } from './pages.ts'
import { routesTo } from './routes.tsx'

/**
 * Begins to fetch what a page needs, and resolves when its scripts have come or failed. Whatever fails is fetched
 * again, and shown, by the page itself.
 */
export async function preload(queryClient: QueryClient, address: URL): Promise<void> {
  const shown = routesTo(pages, address.pathname)
  const loading = shown.map((source) => source.prefetch())
  const begin = async ({ data }: Source) => {
    for (const query of (await data?.(address)) ?? []) void queryClient.prefetchQuery(query)
  }
  for (const source of shown) void begin(source).catch(leaveToThePage)
  await Promise.all(loading)
}

const leaveToThePage = () => undefined

/** Links are preloaded as soon as the pointer is over them. */
export function preloadLinks(queryClient: QueryClient): void {
  let last = location.href
  const look = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest('a') : null
    if (!link || link.origin !== location.origin || link.href === last) return
    last = link.href
    void preload(queryClient, new URL(link.href))
  }
  document.addEventListener('pointerover', look, { passive: true })
  document.addEventListener('focusin', look)
}
