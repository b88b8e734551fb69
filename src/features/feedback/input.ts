import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { CreatedRange, InOrder, listOf, Page } from '../../rules/paging.ts'

export const SubmitFeedback = z.object({
  type: z.string().max(64),
  content: z.string().min(1).max(10_000),
})
export type SubmitFeedback = z.output<typeof SubmitFeedback>

export const Submitted = z.object({ id: z.string() })

const Status = z.enum(['new', 'in_progress', 'done'])

export const ListFeedbacks = z.object({
  user_id: Id.optional(),
  type: z.string().optional(),
  status: Status.optional(),
  /** Found anywhere in the content, in any case. */
  search: z.string().max(200).optional(),
  ...InOrder.shape,
  ...CreatedRange.shape,
  ...Page.shape,
})
export type ListFeedbacks = z.output<typeof ListFeedbacks>

export const Feedback = z.object({
  id: z.string(),
  user_id: z.string(),
  type: z.string(),
  content: z.string(),
  status: Status,
  note: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
})
export const Feedbacks = listOf(Feedback)

export const UpdateFeedback = z.object({
  id: Id,
  user_id: Id,
  status: Status.optional(),
  note: z.string().max(10_000).optional(),
})
export type UpdateFeedback = z.output<typeof UpdateFeedback>
