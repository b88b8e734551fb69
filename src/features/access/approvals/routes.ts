import { callerRoute, sessionRoute } from '../../../http/route.ts'
import { OneById } from '../../../rules/ids.ts'
import { listOf, Page } from '../../../rules/paging.ts'
import { Grant } from '../grants/input.ts'
import { decideApproval, type FindRoute, listApprovals } from './approvals.ts'
import { getApproval } from './collecting.ts'
import { updateGrant } from './grant-rules.ts'
import { Approval, ApprovalDecision, Decided, GrantChanges, ListedApproval } from './input.ts'

export function approvalRoutes(findRoute: FindRoute) {
  return [
    sessionRoute({
      method: 'POST',
      path: '/api/update_grant',
      summary: 'Limit the calls of a connection, or make them wait for your approval',
      input: GrantChanges,
      output: Grant,
      limit: 'account-changes',
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
    callerRoute({
      method: 'POST',
      path: '/api/get_approval',
      summary: 'The outcome of a call that waits for approval; for the program that made it',
      input: OneById,
      output: Approval,
      approval: 'never',
      handle: (call, { id }) => getApproval(call, id),
    }),
  ] as const
}
