import { publicRoute, sessionRoute } from '../../../http/route.ts'
import { OneById } from '../../../rules/ids.ts'
import { listOf, Page } from '../../../rules/paging.ts'
import { Grant } from '../grants/input.ts'
import {
  decideApproval,
  type FindRoute,
  getApproval,
  listApprovals,
  listGrantActs,
  updateGrant,
} from './approvals.ts'
import {
  ActsOfGrant,
  Approval,
  ApprovalDecision,
  Decided,
  GrantChanges,
  ListedAct,
  ListedApproval,
} from './input.ts'

export function approvalRoutes(findRoute: FindRoute) {
  return [
    sessionRoute({
      method: 'POST',
      path: '/api/update_grant',
      summary: 'Limit the calls of a connection, or let them wait for your approval',
      input: GrantChanges,
      output: Grant,
      handle: updateGrant,
    }),
    sessionRoute({
      method: 'POST',
      path: '/api/list_approvals',
      summary: 'Calls of your connections that wait for your approval, newest first',
      input: Page,
      output: listOf(ListedApproval),
      handle: listApprovals,
    }),
    sessionRoute({
      method: 'POST',
      path: '/api/decide_approval',
      summary: 'Approve a call, which is then carried out once, or deny it',
      input: ApprovalDecision,
      output: Decided,
      handle: (call, input) => decideApproval(call, findRoute, input),
    }),
    publicRoute({
      method: 'POST',
      path: '/api/get_approval',
      summary: 'What became of a call that waits for approval; for the program that made it',
      input: OneById,
      output: Approval,
      described: { credential: 'required' },
      handle: (call, { id }) => getApproval(call, id),
    }),
    sessionRoute({
      method: 'POST',
      path: '/api/list_grant_acts',
      summary: 'What a connection did, newest first',
      input: ActsOfGrant,
      output: listOf(ListedAct),
      handle: (call, { id, ...page }) => listGrantActs(call, id, page),
    }),
  ] as const
}
