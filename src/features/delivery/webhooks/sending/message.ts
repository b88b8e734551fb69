import type { WebhookDeliveryTable, WebhookTable } from '../../../../database/schema/products/webhooks.ts'
import { newEndpointSecret } from '../../../../platform/endpoints/signature.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { canOpen, type SecretBox } from '../../../../platform/secrets/secret-box.ts'
import { type Event, envelopeOf, findEvents } from '../../../ground/events/listing.ts'

/** What is sent as the body, or null if the event has been deleted in the meantime. */
export async function bodyOf({ meta }: Platform, delivery: WebhookDeliveryTable): Promise<string | null> {
  if (delivery.body !== null) return delivery.body
  const [event] = await findEvents(meta, [delivery.event_id])
  return event ? bodyOfEvent(event) : null
}

export function bodyOfEvent(event: Event): string {
  return JSON.stringify(envelopeOf(event))
}

const SEALED_FOR = 'webhook'

export function newSecret(secretBox: SecretBox) {
  const secret = newEndpointSecret()
  return { secret, sealed: secretBox.seal(SEALED_FOR, secret) }
}

export function canSign(secretBox: SecretBox, { sealed }: Pick<WebhookTable, 'sealed'>): boolean {
  return canOpen(secretBox, SEALED_FOR, sealed)
}

/**
 * The secrets that are valid: the older one until it expires. Unsealing takes 30 of the 200 µs of a delivery, so lanes
 * keep them.
 */
export function secretsOf(
  { secretBox, now }: Pick<Platform, 'secretBox' | 'now'>,
  { sealed, former_sealed, former_until }: Pick<WebhookTable, 'sealed' | 'former_sealed' | 'former_until'>,
  opened = new Map<string, string>(),
): readonly string[] {
  const isFormerGood = former_sealed !== null && former_until !== null && now() < former_until
  return (isFormerGood ? [sealed, former_sealed] : [sealed]).map((one) => {
    const secret = opened.get(one) ?? secretBox.open(SEALED_FOR, one)
    opened.set(one, secret)
    return secret
  })
}
