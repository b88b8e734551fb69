import { Outlet } from 'react-router'
import { Missing } from '../pages/missing.tsx'
import { useSignedIn } from '../session.ts'

/** To everybody else the console is an address where nothing is; the server refuses them anyway. */
export function AdministratorPages() {
  const { user } = useSignedIn()
  return user.role === 'administrator' ? <Outlet /> : <Missing />
}
