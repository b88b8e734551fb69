import { z } from 'zod'
import { Nothing } from '../../../http/requests/body.ts'
import { callerRoute, protectedRoute } from '../../../http/route.ts'
import { JsonObject } from '../../../rules/json-object.ts'
import { Claims } from '../../ground/settings/parts/hooks.ts'
import { previewToken, signedToken } from './signed-token.ts'

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
  protectedRoute({
    method: 'POST',
    path: '/api/admin/preview_token',
    summary: 'What the caller’s signed token would say with these claims in the settings',
    scope: 'config:hooks:read',
    input: z.object({ claims: Claims }),
    output: z.object({ claims: JsonObject }),
    handle: previewToken,
  }),
] as const
