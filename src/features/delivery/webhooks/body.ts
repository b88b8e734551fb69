import type { WebhookDeliveryTable } from '../../../database/schema/products/webhooks.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type Event, envelopeOf, findEvents } from '../../ground/events/listing.ts'

/** The body to send; null once the event is no longer stored. */
export async function bodyOf({ meta }: Platform, delivery: WebhookDeliveryTable): Promise<string | null> {
  if (delivery.body !== null) return delivery.body
  const [event] = await findEvents(meta, [delivery.event_id])
  return event ? bodyOfEvent(event) : null
}

export function bodyOfEvent(event: Event): string {
  return JSON.stringify(envelopeOf(event))
}
