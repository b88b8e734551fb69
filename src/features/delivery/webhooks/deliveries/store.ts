import { inParts } from '../../../../database/in-parts.ts'
import type { DeliveryState, WebhookDeliveryTable } from '../../../../database/schema/products/webhooks.ts'
import { equals } from '../../../../database/sql/conditions.ts'
import { pageWithTotal } from '../../../../database/sql/page-with-total.ts'
import { skipLockedRows } from '../../../../database/sql/row-lock.ts'
import type { Meta } from '../../../../database/store.ts'
import { directionOf, type Order, type Slice } from '../../../../rules/paging.ts'

interface DeliveryFilter {
  readonly webhook_id: string
  readonly status?: DeliveryState | undefined
  readonly order: Order
}

export function deliveriesPage(meta: Meta, { webhook_id, status, order }: DeliveryFilter, { offset, limit }: Slice) {
  const direction = directionOf(order)
  const matching = meta
    .selectFrom('webhook_delivery')
    .where('webhook_id', '=', webhook_id)
    .where((eb) => eb.and([...equals('state', status)]))
  const page = matching.selectAll().orderBy('created_at', direction).orderBy('id', direction)
  const total = matching.select((eb) => eb.fn.countAll<number>().as('total'))
  return pageWithTotal(meta, total, page.offset(offset).limit(limit), 'long')
}

export function insertDelivery(meta: Meta, row: WebhookDeliveryTable) {
  return meta.insertInto('webhook_delivery').values(row)
}

/** Comes before everything else that waits for the same user. */
const asPending = (now: number) => ({ state: 'pending', tries: 0, begun_at: now, next_attempt_at: 0 }) as const

/** Tests cannot be sent again, because they are not events. */
export function redeliverOne(meta: Meta, id: string, now: number) {
  return meta
    .updateTable('webhook_delivery')
    .set(asPending(now))
    .where('id', '=', id)
    .where('body', 'is', null)
    .returning('id')
}

/** Runs after `lockedWebhook`, which locks the endpoint: no other decision sends these again meanwhile. */
export function redeliverFailed(meta: Meta, webhookId: string, since: number, now: number, atMost: number) {
  const failed = meta
    .selectFrom('webhook_delivery')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('last_attempt_at', '>=', since)
    // One whose event is gone fails at once, and would be found again by the next part.
    .where('last_attempt_at', '<=', now)
    .where('state', '=', 'failed')
    .where('body', 'is', null)
    .limit(atMost)
  return meta.updateTable('webhook_delivery').set(asPending(now)).where('id', 'in', failed).returning('id')
}

/** Locks the rows that it finds, and leaves those in use for the next time. */
export async function deleteBefore(meta: Meta, time: number): Promise<void> {
  const oldest = meta
    .selectFrom('webhook_delivery')
    .select('id')
    .where('created_at', '<', time)
    .where('state', '<>', 'pending')
  const end = (atMost: number) =>
    meta
      .deleteFrom('webhook_delivery')
      .where('id', 'in', oldest.limit(atMost).$call(skipLockedRows(meta)))
      .returning('id')
  await inParts((atMost) => meta.batch([end(atMost)]))
}
