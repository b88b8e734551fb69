import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Navigate, useLocation } from '../routing/router.tsx'
import { Outlet } from '../routing/routes.tsx'
import { addressKey, factorKey, gateKey } from '../server/query-client.ts'
import { SignedInContext, useSession } from '../server/session.ts'
import { Skeleton } from '../ui/lists/skeleton.tsx'
import { ErrorBoundary, Unreachable } from '../ui/messages/error-boundary.tsx'
import { Opening } from '../ui/messages/opening.tsx'
import { Shell } from './shell.tsx'
import { ToVerify } from './to-verify.tsx'

const securityPage = '/settings/security'

/** Lets users through who are signed in and past the gate; everyone else comes back here afterwards. */
export function SignedInPages() {
  const { data: signedIn, error, refetch } = useSession()
  const { data: gate } = useQuery({ queryKey: gateKey, enabled: false, queryFn: () => 'open' })
  const { data: factor } = useQuery({ queryKey: factorKey, enabled: false, queryFn: () => 'there' })
  const { data: address } = useQuery({ queryKey: addressKey, enabled: false, queryFn: () => 'verified' })
  const { pathname, search } = useLocation()
  const wish = pathname === '/' ? '' : `?${new URLSearchParams({ next: pathname + search })}`

  if (signedIn === undefined) {
    return error ? <Unreachable error={error} onRetry={() => void refetch()} /> : <Opening />
  }
  if (signedIn === null) return <Navigate to={`/sign-in${wish}`} replace />
  if (address === 'unverified' && !signedIn.user.emailVerified) return <ToVerify />
  if (gate === 'closed') return <Navigate to={`/beta${wish}`} replace />
  if (factor === 'missing' && pathname !== securityPage) return <Navigate to={securityPage} replace />
  return (
    <SignedInContext value={signedIn}>
      <Shell key={signedIn.user.id}>
        <ErrorBoundary key={pageKeyOf(pathname)}>
          <Suspense fallback={<Skeleton />}>
            <Outlet />
          </Suspense>
        </ErrorBoundary>
      </Shell>
    </SignedInContext>
  )
}

/** The page that an address belongs to: the parts of the settings are one page. */
const pageKeyOf = (pathname: string) => pathname.replace(/^((?:\/console)?\/settings)\/.*$/, '$1')
