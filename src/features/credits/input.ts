import { z } from 'zod'
import { listOf } from '../../rules/paging.ts'

export const CreditSummary = z.object({ balance: z.int() })

const CreditEntry = z.object({
  id: z.string(),
  amount: z.int(),
  balance_after: z.int(),
  source_type: z.string(),
  source_id: z.string(),
  created_at: z.int(),
})
export const CreditEntries = listOf(CreditEntry)
