import { z } from 'zod'
import { recordOf } from '../../../rules/free-form.ts'
import { Id } from '../../../rules/ids.ts'
import { lineOf, textOf } from '../../../rules/names.ts'
import { CreatedRange, InOrder, listOf, Page } from '../../../rules/paging.ts'

const LONGEST_CONTEXT_BYTES = 2048

/** Facts about where feedback came from: the elements send `page` and `version`. */
const Context = recordOf(
  z.string().regex(/^[a-z0-9_]{1,32}$/, 'A name has 1 to 32 of a to z, 0 to 9 and _.'),
  z.string(),
).refine(
  (context) => Buffer.byteLength(JSON.stringify(context)) <= LONGEST_CONTEXT_BYTES,
  'The context is larger than 2 KB.',
)

export const SubmitFeedback = z.object({
  type: lineOf(64),
  content: textOf(10_000),
  context: Context.default({}),
})
export type SubmitFeedback = z.output<typeof SubmitFeedback>

export const Submitted = z.object({ id: z.string() })

const Status = z.enum(['new', 'in_progress', 'done'])

export const ListFeedbacks = z.object({
  user_id: Id.optional(),
  type: z.string().optional(),
  status: Status.optional(),
  /** Words in any order, each a part of the content, without case and accents. */
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
  context: z.record(z.string(), z.string()),
  reply: z.string(),
  replied_at: z.int().nullable(),
  /** The last person who answered it or changed its state or note. */
  handled_by: z.object({ id: z.string(), name: z.string() }).nullable(),
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

export const ListOwnFeedbacks = z.object(Page.shape)
export type ListOwnFeedbacks = z.output<typeof ListOwnFeedbacks>

/** The sender's view: the note is for the administrator's colleagues. */
const OwnFeedback = Feedback.omit({ user_id: true, note: true, handled_by: true, updated_at: true })
export const OwnFeedbacks = listOf(OwnFeedback)

export const ReplyToFeedback = z.object({
  id: Id,
  user_id: Id,
  text: textOf(10_000).trim(),
})
export type ReplyToFeedback = z.output<typeof ReplyToFeedback>
