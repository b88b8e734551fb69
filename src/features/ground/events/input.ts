import { z } from 'zod'
import { EVENT_TYPES } from '../../../rules/event-types.ts'
import { CURSOR } from './listing.ts'

const TYPES_AT_MOST = 64

export const EventTypes = z.array(z.enum(EVENT_TYPES)).max(TYPES_AT_MOST)

export const ListEvents = z.object({
  /** `next` of the last response. Absent: start at the oldest stored event; `latest`: no past events. */
  after: z.string().regex(CURSOR).optional(),
  /** Absent or empty: all types. */
  types: EventTypes.optional(),
  limit: z.int().min(1).max(1_000).default(100),
  /** The time to wait if nothing has happened yet. */
  wait_seconds: z.int().min(0).max(25).default(0),
})
export type ListEvents = z.output<typeof ListEvents>

export const ListedEvents = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      type: z.enum(EVENT_TYPES),
      occurred_at: z.int(),
      user_id: z.string().nullable(),
      organization_id: z.string().nullable(),
      data: z.record(z.string(), z.unknown()),
    }),
  ),
  next: z.string(),
  /** Events after the cursor are missing: it is too old, or from before a backup was restored. */
  gap: z.literal(true).optional(),
  /** What happened before is in the events up to `next`. Absent if more follow. */
  current_at: z.int().optional(),
  /** The time of the service. */
  now: z.int(),
})
