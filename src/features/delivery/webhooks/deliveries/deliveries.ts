import type { WebhookDeliveryTable } from '../../../../database/schema/products/webhooks.ts'
import type { Job } from '../../../../platform/background.ts'
import { Transport } from '../../../../platform/endpoints/transport.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { addressesOutside } from '../../../../platform/public-addresses.ts'
import { newId } from '../../../../rules/ids.ts'
import { sliceOf } from '../../../../rules/paging.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { DAY_MILLISECONDS, HOUR_SECONDS } from '../../../../rules/time.ts'
import { type Doer, decide } from '../../../ground/acts/acts.ts'
import { findEvents } from '../../../ground/events/listing.ts'
import type { FailedSince, ListDeliveries, Redeliver } from '../input.ts'
import { columnsOf, send } from '../lanes/delivering.ts'
import { bodyOfEvent, secretsOf } from '../sending/message.ts'
import { lockedWebhook } from '../store.ts'
import { getWebhook, refuseUnknown, WEBHOOKS_JOB } from '../webhooks.ts'
import * as store from './store.ts'

const REDELIVERED_AT_ONCE = 1_000

/** Newest first, each with its request and response. */
export async function listDeliveries({ meta }: Platform, filter: ListDeliveries) {
  await getWebhook(meta, filter.webhook_id)
  const { items, total } = await store.deliveriesPage(meta, filter, sliceOf(filter))
  const events = await findEvents(
    meta,
    items.map(({ event_id }) => event_id),
  )
  const bodies = new Map(events.map((event) => [event.id, bodyOfEvent(event)]))
  return { items: items.map((row) => wireDelivery(row, bodies.get(row.event_id))), total }
}

/** Returns how many are sent again. */
export async function redeliver(doer: Doer, input: Redeliver): Promise<number> {
  const again = 'id' in input ? await redeliverOne(doer, input.id) : await redeliverFailed(doer, input)
  doer.platform.background.wake(WEBHOOKS_JOB)
  return again
}

async function redeliverOne(doer: Doer, id: string): Promise<number> {
  const { meta, now } = doer.platform
  return decide(doer, [store.redeliverOne(meta, id, now())], async (act, deliveries) => {
    if (deliveries.length === 0) throw new Refusal('NOT_FOUND', 'This delivery does not exist.')
    act.record('webhook.redeliver', { details: { id } })
    return deliveries.length
  })
}

/** In parts, since there can be any number. The audit entry goes with the first. */
async function redeliverFailed(doer: Doer, input: FailedSince): Promise<number> {
  const { meta, now } = doer.platform
  const { webhook_id, failed_since } = input
  const begun = now()
  let [count, part] = [0, 0]
  do {
    const failed = store.redeliverFailed(meta, webhook_id, failed_since, begun, REDELIVERED_AT_ONCE)
    part = await decide(doer, [lockedWebhook(meta, webhook_id), failed], async (act, [webhook], deliveries) => {
      if (!webhook) refuseUnknown()
      if (count === 0) act.record('webhook.redeliver', { details: input })
      return deliveries.length
    })
    count += part
  } while (part === REDELIVERED_AT_ONCE)
  return count
}

/** Sent at once and once, whether the webhook is enabled or not; listed with the deliveries. */
export async function testWebhook(doer: Doer, id: string) {
  const { platform } = doer
  const { meta, now } = platform
  const webhook = await getWebhook(meta, id)
  const event_id = `test_${newId()}`
  const occurred_at = now()
  const body = JSON.stringify({ id: event_id, type: 'webhook.test', occurred_at, user_id: null, data: {} })
  const transport = new Transport(addressesOutside(platform.config.webhookNetworks), platform.names)
  const endpoint = { url: webhook.url, secrets: secretsOf(platform, webhook) }
  const outcome = await send(platform, transport, endpoint, event_id, body).finally(() => transport.close())
  const row: WebhookDeliveryTable = {
    id: newId(),
    webhook_id: id,
    event_id,
    position: 0,
    type: 'webhook.test',
    user_id: null,
    tries: 1,
    created_at: occurred_at,
    begun_at: occurred_at,
    body,
    ...columnsOf(outcome, undefined, now()),
  }
  // The webhook may have been deleted by now; the test was sent and is returned.
  await decide(doer, [lockedWebhook(meta, id)], async (act, [held]) => {
    if (held) act.write(store.insertDelivery(meta, row))
    act.record('webhook.test', { subject: { type: 'webhook', id } })
  })
  return wireDelivery(row, body)
}

function wireDelivery(row: WebhookDeliveryTable, body: string | undefined) {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    type: row.type,
    user_id: row.user_id,
    status: row.state,
    tries: row.tries,
    created_at: row.created_at,
    last_attempt_at: row.last_attempt_at,
    next_attempt_at: row.state === 'pending' ? Math.max(row.next_attempt_at, row.begun_at) : null,
    answer_code: row.status,
    answer: row.answer,
    error: row.error,
    milliseconds: row.milliseconds,
    body: row.body ?? body ?? null,
  }
}

/** Deliveries are kept for as long as their events. */
export function deliverySweep({ config, meta, now }: Platform): Job {
  return {
    name: 'delivery-sweep',
    everySeconds: HOUR_SECONDS,
    run: () => store.deleteBefore(meta, now() - config.eventRetentionDays * DAY_MILLISECONDS),
  }
}
