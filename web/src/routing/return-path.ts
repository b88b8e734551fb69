import { useSearchParams } from 'react-router'

/** Only a path of these pages is followed; anything else leads home. */
export function ownPath(next: string | null): string {
  if (!next?.startsWith('/')) return '/'
  const url = URL.parse(next, location.origin)
  if (url?.origin !== location.origin) return '/'
  // `/.//evil` resolves to the path `//evil`, which the router would take for another site.
  return url.pathname.startsWith('//') ? '/' : url.pathname + url.search
}

/** Where a person wanted to go before signing in came between. */
export function useReturn() {
  const [search] = useSearchParams()
  const path = ownPath(search.get('next'))
  return {
    path,
    /** The address of another page that keeps the wish. */
    via: (page: string, more: Record<string, string> = {}) => {
      const query = new URLSearchParams({ ...more, ...(path !== '/' && { next: path }) })
      return query.size > 0 ? `${page}?${query}` : page
    },
  }
}
