import { useLocation, useSearchParams } from './router.tsx'
import { ownPath, productWanted } from './safe-address.ts'

/** Where a person wanted to go before signing in came between: a page of ours, or a product's by way of one. */
export function useReturn() {
  const [search] = useSearchParams()
  const product = productWanted(useLocation().search)
  const path = product ? `/return?${new URLSearchParams({ to: product })}` : ownPath(search.get('next'))
  return {
    path,
    /** The address of another page that keeps the wish. */
    via: (page: string, more: Record<string, string> = {}) => {
      const query = new URLSearchParams({ ...more, ...(path !== '/' && { next: path }) })
      return query.size > 0 ? `${page}?${query}` : page
    },
  }
}
