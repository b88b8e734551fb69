import { z } from 'zod'
import { Done, Nothing, StatusTrue } from '../../../http/requests/body.ts'
import { protectedRoute, sessionRoute } from '../../../http/route.ts'
import { OneById } from '../../../rules/ids.ts'
import { RevokeOtherSessions, revokeOtherSessions, revokeSessions, revokeUserSessions } from './signing-out.ts'
import { RestoreUser, restoreUser, SuspendUser, suspendUser } from './suspending.ts'

export const endingRoutes = [
  sessionRoute({
    method: 'POST',
    path: '/api/auth/revoke-sessions',
    summary: 'End every session, including this one, and every connected tool',
    input: Nothing,
    output: StatusTrue,
    handle: revokeSessions,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/revoke-other-sessions',
    summary: 'End every session but this one, and on request every connected tool',
    input: RevokeOtherSessions,
    output: StatusTrue,
    limit: 'others-signed-out',
    handle: revokeOtherSessions,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/revoke_user_sessions',
    summary: 'Sign a user out everywhere, including tools; returns how many sessions ended',
    scope: 'admin:users:write',
    input: OneById,
    output: z.object({ count: z.int() }),
    limit: 'users-signed-out',
    handle: async (call, { id }) => ({ count: await revokeUserSessions(call, id) }),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/suspend_user',
    summary: 'Suspend a user, with a reason; ends their sessions and connected tools at once',
    scope: 'admin:users:write',
    input: SuspendUser,
    output: Done,
    handle: (call, input) => suspendUser(call, input),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/restore_user',
    summary: 'Let a suspended user sign in again',
    scope: 'admin:users:write',
    input: RestoreUser,
    output: Done,
    handle: (call, input) => restoreUser(call, input),
  }),
] as const
