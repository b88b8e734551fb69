import { useLocation, useSearchParams } from './router.tsx'
import { ownPath, productWanted } from './safe-address.ts'

/** The place the user wanted before having to sign in: one of these pages, or a product's page by way of one. */
export function useReturn() {
  const [search] = useSearchParams()
  const product = productWanted(useLocation().search)
  const path = product ? `/return?${new URLSearchParams({ to: product })}` : ownPath(search.get('next'))
  const isWanted = product !== null || search.get('next') !== null
  return {
    path,
    /** The administrator who wanted no page works in the console. */
    landing: ({ role }: { readonly role: string }) => (isWanted || role !== 'administrator' ? path : '/console'),
    /** The address of another page, with the return path in it. */
    via: (page: string, more: Record<string, string> = {}) => {
      const adding = search.has('add') && { add: '' }
      const query = new URLSearchParams({ ...more, ...adding, ...(path !== '/' && { next: path }) })
      return query.size > 0 ? `${page}?${query}` : page
    },
  }
}
