import { Nothing } from '../../../http/requests/body.ts'
import { protectedRoute, publicRoute } from '../../../http/route.ts'
import { AskReceipt, getReceipt, listVerifiers, Receipt, Verifiers } from './receipts/receipts.ts'
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
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_verifiers',
    summary: 'The back ends that have followed revocations in the last hour, and how late they are',
    scope: 'admin:applications:read',
    input: Nothing,
    output: Verifiers,
    handle: listVerifiers,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/get_receipt',
    summary: 'Which back ends refuse what ended in the last hour, and which do not know of it yet',
    scope: 'admin:applications:read',
    input: AskReceipt,
    output: Receipt,
    handle: getReceipt,
  }),
] as const
