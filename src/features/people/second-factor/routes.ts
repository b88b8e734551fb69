import { Done } from '../../../http/requests/body.ts'
import { sessionRoute } from '../../../http/route.ts'
import { factorRoutes } from './factor-routes.ts'
import { FactorId } from './input.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { removeFactors } from './removing.ts'

export const securityRoutes = [
  ...factorRoutes,
  ...passkeyRoutes,
  sessionRoute({
    method: 'POST',
    path: '/api/admin/remove_factors',
    role: 'administrator',
    summary: 'Remove the second factors of a user who has lost them; in a fresh session, with a letter to the user',
    input: FactorId,
    output: Done,
    needsFreshSession: true,
    handle: (call, { id }) => removeFactors(call, id),
  }),
] as const
