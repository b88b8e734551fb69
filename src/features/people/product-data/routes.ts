import { Nothing } from '../../../http/requests/body.ts'
import { protectedRoute } from '../../../http/route.ts'
import { ChangeData, ChangeOwnData, Data, OwnData, WhoseData } from './input.ts'
import { getOwnData, getUserData, updateOwnData, updateUserData } from './product-data.ts'

export const productDataRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/get_data',
    summary: 'What the product keeps about the caller, and what the caller told it',
    scope: 'account:profile:read',
    input: Nothing,
    output: OwnData,
    handle: getOwnData,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/update_data',
    summary: 'Change what the caller tells the product, by a merge patch (RFC 7396)',
    scope: 'account:profile:write',
    input: ChangeOwnData,
    output: OwnData,
    limit: 'profile-changes',
    handle: updateOwnData,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/get_user_data',
    summary: 'All that the product keeps about a user',
    scope: 'admin:data:read',
    input: WhoseData,
    output: Data,
    handle: ({ platform }, { id }) => getUserData(platform, id),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/update_user_data',
    summary: 'Change what the product keeps about a user, by merge patches (RFC 7396)',
    scope: 'admin:data:write',
    input: ChangeData,
    output: Data,
    handle: updateUserData,
  }),
] as const
