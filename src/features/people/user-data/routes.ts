import { z } from 'zod'
import { jsonInParts } from '../../../http/answers/in-parts.ts'
import { Done, Nothing } from '../../../http/requests/body.ts'
import { protectedRoute } from '../../../http/route.ts'
import { ReadById } from '../../../rules/paging.ts'
import { createUserFor, inviteUser } from '../account/by-administrator.ts'
import { eraseUser } from '../account/deletion.ts'
import { refuseEmailAction } from '../account/email-rules.ts'
import { CreateUser, InviteUser } from '../account/input.ts'
import { ListUsers } from '../users/input.ts'
import { exportAccount } from './export.ts'
import { AccountExport, ReadUser, UserFacts, UserId, Users } from './input.ts'
import { readUsers } from './kept-by-products.ts'
import { personRoutes } from './person-routes.ts'
import { getUserFacts, listUsersWithShards } from './user-data.ts'

export const userDataRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_users',
    summary: 'List or search the users, newest first',
    scope: 'admin:users:read',
    input: ListUsers,
    output: Users,
    handle: ({ platform }, filter) => listUsersWithShards(platform, filter),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/read_users',
    summary: 'Users as they are now, by ids or in the order of ids, for a product that keeps its own copy',
    scope: 'admin:users:read',
    input: ReadById,
    output: z.object({ items: z.array(ReadUser) }),
    handle: ({ platform }, wanted) => readUsers(platform, wanted),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/export_account',
    summary: 'Everything that is stored about the caller; for a fresh session, never for a grant',
    scope: 'account:profile:read',
    grants: 'refused',
    input: Nothing,
    output: AccountExport,
    needsFreshSession: async () => true,
    handle: async (call) => jsonInParts(call, exportAccount(call)),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/get_user',
    summary: "One user's facts: accounts, sessions, grants, shard, balance",
    scope: 'admin:users:read',
    input: UserId,
    output: UserFacts,
    handle: ({ platform }, { id }) => getUserFacts(platform, id),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/create_user',
    summary: 'Create a user, even while registration is off; with a password only in a fresh session',
    scope: 'admin:users:write',
    input: CreateUser,
    output: UserId,
    needsFreshSession: async (_call, { password }) => password !== undefined,
    handle: createUserFor,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/invite_user',
    summary: 'Create a user and send a letter with a link for setting the first password or passkey',
    scope: 'admin:users:write',
    input: InviteUser,
    output: UserId,
    limit: 'invitations',
    handle: async (call, input) => {
      await refuseEmailAction(call)
      return inviteUser(call, input)
    },
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/delete_user',
    summary: 'Delete a user, and erase their data from every store',
    scope: 'admin:users:write',
    input: UserId,
    output: Done,
    handle: (call, { id }) => eraseUser(call, id),
  }),
  ...personRoutes,
] as const
