import { z } from 'zod'
import { nameOf, textOf } from '../../../rules/names.ts'
import { listOf } from '../../../rules/paging.ts'

export const Reply = z.object({ name: nameOf(64), text: textOf(10_000).trim() })
export type Reply = z.output<typeof Reply>

export const Saved = z.object({ id: z.string() })

export const Replies = listOf(z.object({ id: z.string(), name: z.string(), text: z.string(), created_at: z.int() }))
