import { z } from 'zod'
import { InOrder, listOf, Page } from '../../../rules/paging.ts'

/** Codes are copied from paper and screens, so case, spaces and dashes do not matter. */
export const BindBetaCode = z.object({
  beta_code: z
    .string()
    .max(64)
    .transform((typed) => {
      const letters = typed.toUpperCase().replace(/[\s-]/g, '')
      return letters.match(/.{1,4}/gu)?.join('-') ?? ''
    }),
})

export const GenerateBetaCodes = z.object({ count: z.int().min(1).max(1000).default(1) })
export const BetaCodesMade = z.object({ codes: z.array(z.string()) })

export const ListBetaCodes = z.object({
  used: z.boolean().optional(),
  search: z.string().max(64).optional(),
  ...InOrder.shape,
  ...Page.shape,
})
export type ListBetaCodes = z.output<typeof ListBetaCodes>

export const BetaCodes = listOf(
  z.object({
    code: z.string(),
    used_by: z.string().nullable(),
    used_by_email: z.string().nullable(),
    created_at: z.int(),
    used_at: z.int().nullable(),
  }),
)
