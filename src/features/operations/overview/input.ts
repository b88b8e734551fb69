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
  /** Things that settings and data need and this deployment lacks; one line each, which says how to fix it. */
  troubles: z.array(z.object({ about: z.string(), words: z.string() })),
  stores: z.array(z.object({ name: z.string(), state: z.enum(STATES) })),
})
