import { Nothing } from '../../../http/requests/body.ts'
import { protectedRoute } from '../../../http/route.ts'
import { Overview } from './input.ts'
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
] as const
