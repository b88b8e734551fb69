import { Navigate, useLocation } from '../routing/router.tsx'
import { useSession } from '../server/session.ts'

/** Sends a signed-in user to confirm the address first, and then back here. */
export function ToVerify() {
  const { data: signedIn } = useSession()
  const { pathname, search } = useLocation()
  const query = { email: signedIn?.user.email ?? '', ...(pathname !== '/' && { next: pathname + search }) }
  return <Navigate to={`/verify?${new URLSearchParams(query)}`} replace />
}
