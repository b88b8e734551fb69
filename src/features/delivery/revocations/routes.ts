import { publicRoute } from '../../../http/route.ts'
import { AskRevocations, Revocations, revocationsAfter } from './revocations.ts'

export const revocationRoutes = [
  publicRoute({
    method: 'POST',
    path: '/api/oauth/revocations',
    summary: 'Which sessions, grants and users ended since a cursor, for applications with a secret',
    input: AskRevocations,
    output: Revocations,
    refusals: 'of OAuth',
    described: { credential: 'of an application' },
    handle: revocationsAfter,
  }),
] as const
