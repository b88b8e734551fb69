import { Nothing } from '../../http/requests/body.ts'
import { protectedRoute } from '../../http/route.ts'
import { Page } from '../../rules/paging.ts'
import { getBalance, listCreditEntries } from './credits.ts'
import { CreditEntries, CreditSummary } from './input.ts'

export const creditRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/get_credit_summary',
    summary: "Read the caller's credit balance",
    scope: 'account:credits:read',
    input: Nothing,
    output: CreditSummary,
    handle: async ({ platform, caller, shard }) => ({
      balance: await getBalance(platform, shard, caller.user.id),
    }),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/list_credit_entries',
    summary: "List what changed the caller's balance, newest first",
    scope: 'account:credits:read',
    input: Page,
    output: CreditEntries,
    handle: ({ platform, caller, shard }, page) => listCreditEntries(platform, shard, caller.user.id, page),
  }),
] as const
