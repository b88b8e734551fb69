import { z } from 'zod'
import { Nothing } from '../../../http/requests/body.ts'
import { protectedRoute } from '../../../http/route.ts'
import { Latest, Overview } from './input.ts'
import { latestOf } from './latest.ts'
import { overviewOf } from './overview.ts'

export const overviewRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/get_overview',
    scope: 'admin:users:read',
    summary: 'Users, sign-ups by day, open feedback, mail queue and store health',
    input: Nothing,
    output: Overview,
    handle: ({ platform }) => overviewOf(platform),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_latest',
    scope: 'admin:users:read',
    grants: 'refused',
    summary: 'The last ten sign-ups, refusals, feedback and acts of assistants, newest first',
    input: Nothing,
    output: z.object({ items: z.array(Latest) }),
    handle: ({ platform }) => latestOf(platform),
  }),
] as const
