import { protectedRoute } from '../../../http/route.ts'
import { ListEvents, ListedEvents } from './input.ts'
import { feedAfter } from './listing.ts'

const LONGEST_PAGE = 1_000_000

export const eventRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_events',
    summary: 'List the events since a cursor, oldest first; can wait for new ones',
    scope: 'admin:events:read',
    waits: 'for news',
    input: ListEvents,
    output: ListedEvents,
    handle: ({ platform, exchange }, { wait_seconds, ...query }) =>
      feedAfter(platform, { ...query, longest: LONGEST_PAGE }, wait_seconds, exchange.leaving),
  }),
] as const
