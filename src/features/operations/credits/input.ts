import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { nameOf } from '../../../rules/names.ts'
import { listOf, Page } from '../../../rules/paging.ts'

export const CreditSummary = z.object({ balance: z.int() })

const LARGEST_GIFT = 1_000_000_000

export const GiveCredits = z.object({
  id: Id,
  amount: z.int().min(1).max(LARGEST_GIFT),
  /** Shown in the audit log. */
  note: nameOf(500).optional(),
})
export type GiveCredits = z.output<typeof GiveCredits>

export const ListUserCredits = z.object({ id: Id, ...Page.shape })
export type ListUserCredits = z.output<typeof ListUserCredits>

const CreditEntry = z.object({
  id: z.string(),
  amount: z.int(),
  balance_after: z.int(),
  source_type: z.string(),
  source_id: z.string(),
  created_at: z.int(),
})
export const CreditEntries = listOf(CreditEntry)
