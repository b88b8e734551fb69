import { z } from 'zod'
import { Done } from '../../http/body.ts'
import { protect } from '../../http/protect.ts'
import { publicRoute } from '../../http/route.ts'
import { Refusal } from '../../rules/refusal.ts'
import { isScope } from '../../rules/scopes.ts'
import { findCaller } from '../sessions/caller.ts'

const Verify = z.object({ scope: z.string().optional() })

export const verifyRoutes = [
  publicRoute({
    method: 'GET',
    path: '/api/verify',
    summary: 'For reverse proxies: 200 and x-user-* headers where the caller may pass, else 401 or 403',
    input: Verify,
    output: Done,
    handle: async (call, { scope }) => {
      if (scope !== undefined && !isScope(scope)) throw new Refusal('INVALID_REQUEST', 'scope: unknown')
      const { caller, shard, exchange } = await protect(call, { scope }, findCaller)
      exchange.setHeader('x-user-id', caller.user.id)
      exchange.setHeader('x-user-email', caller.user.email)
      exchange.setHeader('x-user-role', caller.user.role)
      exchange.setHeader('x-user-shard', shard.name)
      return {}
    },
  }),
] as const
