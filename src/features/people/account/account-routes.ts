import { StatusTrue } from '../../../http/requests/body.ts'
import { protectedRoute, publicRoute, sessionRoute } from '../../../http/route.ts'
import { deleteUser } from './deletion.ts'
import { Anything, ChangePassword, DeleteUser, UpdateUser } from './input.ts'
import { PasswordChanged, Success } from './output.ts'
import { changePassword } from './password.ts'
import { refuseEmailChange, updateUser } from './profile.ts'

export const accountRoutes = [
  sessionRoute({
    method: 'POST',
    path: '/api/auth/change-password',
    session: 'can be opened',
    summary: 'Replace the password; this session gets a new token',
    input: ChangePassword,
    output: PasswordChanged,
    handle: changePassword,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/auth/update-user',
    summary: 'Change name or picture',
    scope: 'account:profile:write',
    input: UpdateUser,
    output: StatusTrue,
    limit: 'profile-changes',
    handle: updateUser,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/delete-user',
    summary: 'Delete the account and everything that belongs to it',
    input: DeleteUser,
    output: Success,
    handle: deleteUser,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/change-email',
    summary: 'Always refused: addresses cannot be changed',
    input: Anything,
    output: Success,
    before: async () => refuseEmailChange(),
    handle: async () => refuseEmailChange(),
  }),
] as const
