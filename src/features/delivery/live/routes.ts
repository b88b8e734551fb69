import { z } from 'zod'
import { protectedRoute } from '../../../http/route.ts'
import { Id } from '../../../rules/ids.ts'
import { refuseOtherAccount } from '../../people/callers/find-caller.ts'
import { openLive } from './live.ts'

const OpenLive = z.object({
  /** As in `x-account-id`, since the browser's own `EventSource` sends no headers of a page's. */
  account_id: Id.optional(),
})

export const liveRoutes = [
  protectedRoute({
    method: 'GET',
    path: '/api/live',
    summary: "The caller's events, for the caller's own pages, as server-sent events",
    scope: 'operations:notifications:read',
    gate: 'open',
    input: OpenLive,
    output: z.string(),
    mediaType: 'text/event-stream',
    handle: async (call, { account_id }) => {
      refuseOtherAccount(account_id, call.caller)
      return openLive(call)
    },
  }),
] as const
