import { protectedRoute } from '../../../http/route.ts'
import { figuresOf } from './figures.ts'
import { Figures, GetFigures } from './input.ts'

export const figureRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/get_figures',
    summary: 'Sign-ups, sign-ins, active users and refused attempts, by day',
    scope: 'admin:users:read',
    input: GetFigures,
    output: Figures,
    handle: ({ platform }, input) => figuresOf(platform, input),
  }),
] as const
