import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { gateKey } from '../query-client.ts'
import { useSession } from '../session.ts'
import { Opening } from '../ui/opening.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Shell } from './shell.tsx'

/** Lets in who is signed in and past the gate; the others come back here afterwards. */
export function SignedInPages() {
  const { data: signedIn } = useSession()
  const { data: gate } = useQuery({ queryKey: gateKey, enabled: false, queryFn: () => 'open' })
  const { pathname, search } = useLocation()
  const wish = pathname === '/' ? '' : `?${new URLSearchParams({ next: pathname + search })}`

  if (signedIn === undefined) return <Opening />
  if (signedIn === null) return <Navigate to={`/sign-in${wish}`} replace />
  if (gate === 'closed') return <Navigate to={`/beta${wish}`} replace />
  return (
    <Shell>
      <Suspense fallback={<Skeleton />}>
        <Outlet />
      </Suspense>
    </Shell>
  )
}
