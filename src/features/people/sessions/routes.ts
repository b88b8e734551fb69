import { Nothing, StatusTrue } from '../../../http/requests/body.ts'
import { sessionRoute } from '../../../http/route.ts'
import { revokeSession, SessionReference } from './ending.ts'
import { ListedSessions, listSessions } from './listing.ts'

export const sessionRoutes = [
  sessionRoute({
    method: 'GET',
    path: '/api/auth/list-sessions',
    summary: "The signed-in user's sessions",
    input: Nothing,
    output: ListedSessions,
    handle: listSessions,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/revoke-session',
    summary: 'End one session, by its id',
    input: SessionReference,
    output: StatusTrue,
    handle: revokeSession,
  }),
] as const
