import { Done } from '../../../http/requests/body.ts'
import { protectedRoute } from '../../../http/route.ts'
import { bindBetaCode, generateBetaCodes, listBetaCodes } from './beta-codes.ts'
import { BetaCodes, BetaCodesMade, BindBetaCode, GenerateBetaCodes, ListBetaCodes } from './input.ts'

export const betaCodeRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/bind_beta_code',
    summary: 'Redeem a beta code, so that the caller passes the beta gate',
    scope: 'account:beta:write',
    gate: 'open',
    input: BindBetaCode,
    output: Done,
    idempotency: 'by key',
    handle: (call, { beta_code }) => bindBetaCode(call, beta_code, call.keyed),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/generate_beta_codes',
    summary: 'Generate beta codes',
    scope: 'admin:beta:write',
    input: GenerateBetaCodes,
    output: BetaCodesMade,
    idempotency: 'by key',
    handle: async (call, { count }) => ({
      codes: await generateBetaCodes(call, count, call.keyed),
    }),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_beta_codes',
    summary: 'List beta codes and who used them, newest first',
    scope: 'admin:beta:read',
    input: ListBetaCodes,
    output: BetaCodes,
    handle: ({ platform }, filter) => listBetaCodes(platform.meta, filter),
  }),
] as const
