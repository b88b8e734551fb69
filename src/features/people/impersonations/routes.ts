import { Nothing } from '../../../http/requests/body.ts'
import { protectedRoute, publicRoute, sessionRoute } from '../../../http/route.ts'
import { SessionOfUser } from '../account/output.ts'
import { ImpersonateUser, Impersonations, ListImpersonations, Stopped } from './input.ts'
import { listImpersonations } from './listing.ts'
import { impersonateUser } from './starting.ts'
import { stopImpersonating } from './stopping.ts'

export const impersonationRoutes = [
  sessionRoute({
    method: 'POST',
    path: '/api/auth/admin/impersonate-user',
    session: 'can be opened',
    role: 'administrator',
    summary: 'Act as a user for 30 minutes, to see what they see; in a fresh session, by its cookie',
    input: ImpersonateUser,
    output: SessionOfUser,
    limit: 'impersonations',
    needsFreshSession: true,
    handle: impersonateUser,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/admin/stop-impersonating',
    session: 'can be opened',
    summary: 'Stop acting as a user, and go on in your own session',
    input: Nothing,
    output: Stopped,
    described: { credential: 'required' },
    whileActing: 'reads',
    handle: stopImpersonating,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/list_impersonations',
    summary: 'When the administrator acted as the caller, why, and what that changed',
    scope: 'account:profile:read',
    input: ListImpersonations,
    output: Impersonations,
    handle: listImpersonations,
  }),
] as const
