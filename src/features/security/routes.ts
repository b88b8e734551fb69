import { Done } from '../../http/requests/body.ts'
import { protectedRoute } from '../../http/route.ts'
import { actorOf } from '../audit/audit.ts'
import { factorRoutes } from './factor-routes.ts'
import { FactorId } from './input.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import { removeFactors } from './removing.ts'

export const securityRoutes = [
  ...factorRoutes,
  ...passkeyRoutes,
  protectedRoute({
    method: 'POST',
    path: '/api/admin/remove_factors',
    summary: 'Remove the second factors of a user who has lost them; the user is notified by mail',
    scope: 'admin:users:write',
    input: FactorId,
    output: Done,
    handle: async (call, { id }) => {
      await removeFactors(call, actorOf(call), id)
      return {}
    },
  }),
] as const
