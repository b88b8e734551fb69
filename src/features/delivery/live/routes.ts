import { z } from 'zod'
import { Nothing } from '../../../http/requests/body.ts'
import { protectedRoute } from '../../../http/route.ts'
import { openLive } from './live.ts'

export const liveRoutes = [
  protectedRoute({
    method: 'GET',
    path: '/api/live',
    summary: "The caller's events, for the caller's own pages, as server-sent events",
    scope: 'operations:notifications:read',
    gate: 'open',
    input: Nothing,
    output: z.string(),
    mediaType: 'text/event-stream',
    handle: openLive,
  }),
] as const
