import { protectedRoute } from '../../http/route.ts'
import { ListUsers, Users } from './input.ts'
import { listUsers } from './users.ts'

export const userRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_users',
    summary: 'List or search the users, newest first',
    scope: 'admin:users:read',
    input: ListUsers,
    output: Users,
    handle: ({ platform }, filter) => listUsers(platform.meta, filter),
  }),
] as const
