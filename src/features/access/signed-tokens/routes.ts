import { z } from 'zod'
import { Nothing } from '../../../http/requests/body.ts'
import { callerRoute } from '../../../http/route.ts'
import { signedToken } from './signed-token.ts'

export const signedTokenRoutes = [
  callerRoute({
    method: 'GET',
    path: '/api/auth/token',
    summary: 'A signed token for the caller, valid for five minutes, for back ends that verify it themselves',
    input: Nothing,
    output: z.object({ token: z.string() }),
    approval: 'like a read',
    handle: signedToken,
  }),
] as const
