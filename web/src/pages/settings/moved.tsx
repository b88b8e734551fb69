import { Navigate, useLocation } from '../../routing/router.tsx'

/** Where the parts of earlier settings are now. */
const places: Readonly<Record<string, readonly [page: string, place: string]>> = {
  '/settings/password': ['/settings/security', '#password'],
  '/settings/accounts': ['/settings/security', '#accounts'],
  '/settings/sessions': ['/settings/security', '#sessions'],
  '/settings/tokens': ['/settings/access', '#tokens'],
}

/** An address of before, from a letter or a bookmark, with what it says, such as why a provider failed. */
export function Moved() {
  const { pathname, search } = useLocation()
  const [page, place] = places[pathname.replace(/\/$/, '')] ?? ['/settings', '']
  return <Navigate to={`${page}${search}${place}`} replace />
}
