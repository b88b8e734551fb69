import { z } from 'zod'
import { MailTrouble } from '../../delivery/mail/trouble.ts'
import { STATES } from '../../ground/health/health.ts'

export const Overview = z.object({
  users: z.int(),
  /** The last 30 days in UTC, oldest first, including days without any. */
  sign_ups: z.array(z.object({ day: z.iso.date(), count: z.int() })),
  /** Null if a shard is down. */
  new_feedbacks: z.int().nullable(),
  notifications: z.int(),
  mails_waiting: z.int(),
  mails_failing: z.int(),
  /** Counts webhooks that are switched on. */
  deliveries_waiting: z.int(),
  mail_trouble: MailTrouble.nullable(),
  /** The provider has accepted a letter, and no later one has failed. */
  mail_works: z.boolean(),
  /** People who signed in during the last seven days, and during the seven before. */
  active_week: z.int(),
  active_week_before: z.int(),
  /** New feedback by day, as for sign-ups. */
  feedbacks: z.array(z.object({ day: z.iso.date(), count: z.int() })),
  /** Things that settings and data need and this deployment lacks; one line each, which says how to fix it. */
  troubles: z.array(z.object({ about: z.string(), words: z.string() })),
  stores: z.array(z.object({ name: z.string(), state: z.enum(STATES) })),
})

export const Latest = z.object({
  id: z.string(),
  kind: z.enum(['sign_up', 'refusal', 'feedback', 'assistant']),
  at: z.int(),
  /** The user it is about; null if nobody knows. */
  user_id: z.string().nullable(),
  who: z.string(),
  /** What was written, or the code of a refusal. */
  text: z.string(),
  /** The act in the audit log, or the call of an assistant. */
  action: z.string().nullable(),
})
export type Latest = z.output<typeof Latest>
