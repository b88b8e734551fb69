import { Nothing } from '../../../http/requests/body.ts'
import { protectedRoute } from '../../../http/route.ts'
import { Page } from '../../../rules/paging.ts'
import { getBalance, giveCredits, listCreditEntries, listCreditsOf } from './credits.ts'
import { CreditEntries, CreditSummary, GiveCredits, ListUserCredits } from './input.ts'

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
    summary: "List the changes to the caller's balance, newest first",
    scope: 'account:credits:read',
    input: Page,
    output: CreditEntries,
    handle: ({ platform, caller, shard }, page) => listCreditEntries(platform, shard, caller.user.id, page),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_user_credits',
    summary: "List the changes to a user's balance, newest first",
    scope: 'admin:users:read',
    input: ListUserCredits,
    output: CreditEntries,
    handle: ({ platform }, input) => listCreditsOf(platform, input),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/give_credits',
    summary: 'Give a user credits; returns the balance',
    scope: 'admin:credits:write',
    input: GiveCredits,
    output: CreditSummary,
    idempotency: 'by key',
    handle: (call, input) => giveCredits(call, input, call.keyed),
  }),
] as const
