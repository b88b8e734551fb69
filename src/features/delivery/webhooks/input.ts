import { z } from 'zod'
import { EndpointUrl } from '../../../rules/endpoint-url.ts'
import { Id, Key, OneById } from '../../../rules/ids.ts'
import { InOrder, Page } from '../../../rules/paging.ts'
import { EventTypes } from '../../ground/events/input.ts'

export const CreateWebhook = z.object({
  key: Key.optional(),
  url: EndpointUrl,
  /** Empty: all. */
  types: EventTypes.default([]),
  enabled: z.boolean().default(true),
})
export type CreateWebhook = z.output<typeof CreateWebhook>

/** As a file of settings has it; the address is missing at most from a webhook that there is. */
export const WebhookOfFile = z.strictObject({ key: Key, url: EndpointUrl.optional(), types: EventTypes.optional() })
export type WebhookOfFile = z.output<typeof WebhookOfFile>

export const UpdateWebhook = z.object({
  id: Id,
  /** Set once. */
  key: Key.optional(),
  url: EndpointUrl.optional(),
  types: EventTypes.optional(),
  enabled: z.boolean().optional(),
})
export type UpdateWebhook = z.output<typeof UpdateWebhook>

export const SecretShown = z.object({ id: z.string(), secret: z.string() })

export const Webhook = z.object({
  id: z.string(),
  key: z.string().nullable(),
  url: z.string(),
  types: z.array(z.string()),
  enabled: z.boolean(),
  created_at: z.int(),
  updated_at: z.int(),
  /** When the endpoint last accepted a delivery. */
  last_taken_at: z.int().nullable(),
  /** Since when it has not accepted anything. */
  failing_since: z.int().nullable(),
  /** When it was switched off because it had not accepted anything for three days. */
  switched_off_at: z.int().nullable(),
  /** The time until which the previous secret also signs. */
  former_secret_until: z.int().nullable(),
})

const State = z.enum(['pending', 'delivered', 'failed'])

export const ListDeliveries = z.object({
  webhook_id: Id,
  status: State.optional(),
  ...InOrder.shape,
  ...Page.shape,
})
export type ListDeliveries = z.output<typeof ListDeliveries>

export const Delivery = z.object({
  id: z.string(),
  webhook_id: z.string(),
  event_id: z.string(),
  type: z.string(),
  user_id: z.string().nullable(),
  status: State,
  tries: z.int(),
  created_at: z.int(),
  last_attempt_at: z.int().nullable(),
  /** Null unless it is pending. */
  next_attempt_at: z.int().nullable(),
  answer_code: z.int().nullable(),
  /** The first 1,000 characters. */
  answer: z.string().nullable(),
  error: z.string().nullable(),
  milliseconds: z.int().nullable(),
  /** What is sent as the body, or null if the event has been deleted in the meantime. */
  body: z.string().nullable(),
})

const FailedSince = z.object({ webhook_id: Id, failed_since: z.int().min(0) })
export type FailedSince = z.output<typeof FailedSince>
/** One delivery, or all of an endpoint's deliveries that have failed since a moment. */
export const Redeliver = z.union([OneById, FailedSince])
export type Redeliver = z.output<typeof Redeliver>
