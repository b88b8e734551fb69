import { Done } from '../../../http/requests/body.ts'
import { protectedRoute, sessionRoute } from '../../../http/route.ts'
import { moveUserTo } from '../../tenancy/moves/by-administrator.ts'
import { markVerified, sendReset } from '../account/by-administrator.ts'
import { refuseEmailAction } from '../account/email-rules.ts'
import { MoveUser, UserId } from './input.ts'

/** Acts of the administrator on one user. */
export const personRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/send_password_reset',
    summary: 'Send a user a password reset mail',
    scope: 'admin:users:write',
    input: UserId,
    output: Done,
    limit: 'invitations',
    handle: async (call, { id }) => {
      await refuseEmailAction(call)
      await sendReset(call, id)
    },
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/admin/mark_verified',
    role: 'administrator',
    summary: "Count a user's address as verified, on the administrator's word; in a fresh session",
    input: UserId,
    output: Done,
    needsFreshSession: true,
    handle: (call, { id }) => markVerified(call, id),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/move_user',
    summary: "Move a user's data to another shard",
    scope: 'admin:users:write',
    input: MoveUser,
    output: Done,
    handle: (call, { id, shard_id }) => moveUserTo(call, id, shard_id),
  }),
] as const
