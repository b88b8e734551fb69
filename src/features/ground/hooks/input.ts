import { z } from 'zod'
import { HOOKS } from '../settings/parts/hooks.ts'

export const OneHook = z.object({ hook: z.enum(HOOKS) })

export const HookSecret = z.object({ secret: z.string() })

export const HookAnswered = z.object({
  /** The question's. */
  id: z.string(),
  at: z.int(),
  milliseconds: z.int(),
  /** Null without a response. */
  status: z.int().nullable(),
  outcome: z.enum(['allowed', 'refused', 'failed']),
  /** Why it failed. */
  error: z.string().nullable(),
})

export const HookTried = HookAnswered.extend({ answer: z.string().nullable() })
