import { Missing } from '../pages/missing.tsx'
import { Outlet } from '../routing/routes.tsx'
import { useSignedIn } from '../server/session.ts'

/** Everyone else sees a missing page; the server refuses them anyway. */
export function AdministratorPages() {
  const { user } = useSignedIn()
  return user.role === 'administrator' ? <Outlet /> : <Missing />
}
