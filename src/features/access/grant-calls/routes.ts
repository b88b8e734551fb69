import { z } from 'zod'
import { sessionRoute } from '../../../http/route.ts'
import { Id } from '../../../rules/ids.ts'
import { listOf, Page } from '../../../rules/paging.ts'
import { listGrantActs } from './listing.ts'

const ActsOfGrant = z.object({ id: Id, ...Page.shape })

const ListedAct = z.object({
  id: z.string(),
  route: z.string(),
  created_at: z.int(),
  ip: z.string().nullable(),
  /** The status of the response; 202 if it waits for approval. */
  status: z.int(),
  /** The refusal code of the call. */
  code: z.string().optional(),
  approval_id: z.string().nullable(),
  /** The application that made it for the connection: with an exchanged token, to get one, or to ask about a token. */
  service: z.string().nullable(),
})

export const grantCallRoutes = [
  sessionRoute({
    method: 'POST',
    path: '/api/list_grant_acts',
    summary: 'The calls of a connection, newest first',
    input: ActsOfGrant,
    output: listOf(ListedAct),
    handle: (call, { id, ...page }) => listGrantActs(call, id, page),
  }),
] as const
