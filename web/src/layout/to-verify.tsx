import { Navigate, useLocation } from '../routing/router.tsx'
import { useSession } from '../server/session.ts'

/** For a signed-in user who has to confirm the address first, and then comes back here. */
export function ToVerify() {
  const { data: signedIn } = useSession()
  const { pathname, search } = useLocation()
  const query = { email: signedIn?.user.email ?? '', ...(pathname !== '/' && { next: pathname + search }) }
  return <Navigate to={`/verify?${new URLSearchParams(query)}`} replace />
}
