import { Done, Nothing } from '../../http/body.ts'
import { publicRoute } from '../../http/route.ts'

export const healthRoutes = [
  publicRoute({
    method: 'GET',
    path: '/api/health',
    summary: 'Answers while the service runs',
    input: Nothing,
    output: Done,
    handle: async () => ({}),
  }),
] as const
