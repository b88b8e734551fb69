import { protectedRoute } from '../../../http/route.ts'
import { find } from './find.ts'
import { Find, Found } from './input.ts'

export const findingRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/find',
    summary: 'What a token, an id, a code, an address or a part of a name belongs to, as far as the scopes show it',
    scope: 'admin:users:read',
    input: Find,
    output: Found,
    handle: find,
  }),
] as const
