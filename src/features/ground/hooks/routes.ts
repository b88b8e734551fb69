import { protectedRoute } from '../../../http/route.ts'
import { listOf } from '../../../rules/paging.ts'
import { HookAnswered, HookSecret, HookTried, OneHook } from './input.ts'
import { rotateHookSecret } from './secrets.ts'
import { listHookAnswers, tryHook } from './trying.ts'

export const hookRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/rotate_hook_secret',
    summary: 'Give a hook a new secret; the former one signs beside it for a day',
    scope: 'config:hooks:write',
    input: OneHook,
    output: HookSecret,
    handle: (call, { hook }) => rotateHookSecret(call, hook),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/try_hook',
    summary: 'Ask a hook about a sample now; returns its answer, from which nothing comes',
    scope: 'config:hooks:write',
    limit: 'test-deliveries',
    input: OneHook,
    output: HookTried,
    handle: (call, { hook }) => tryHook(call, hook),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_hook_answers',
    summary: 'The last ten answers of a hook to this process, newest first',
    scope: 'config:hooks:read',
    input: OneHook,
    output: listOf(HookAnswered),
    handle: async ({ platform }, { hook }) => listHookAnswers(platform, hook),
  }),
] as const
