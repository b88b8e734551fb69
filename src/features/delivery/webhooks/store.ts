import { type Kysely, sql } from 'kysely'
import type { WebhookTable } from '../../../database/schema/products/webhooks.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { eventsAfter, orderEnd } from '../../ground/events/statements.ts'

/** Begins at the end of the order: earlier events are not sent. */
export function insertWebhook(meta: Meta, row: Omit<WebhookTable, 'position'>) {
  return meta.insertInto('webhook').values({ ...row, position: sql<number>`${orderEnd(meta)}` })
}

export function findWebhook(meta: Meta, id: string) {
  return webhook(meta.primary, id).where('application_id', 'is', null).executeTakeFirst()
}

export function findByKey(meta: Meta, key: string) {
  return meta.primary.selectFrom('webhook').select('id').where('key', '=', key).executeTakeFirst()
}

/** With an `application_id`, it notifies that application of sign-outs. */
export function lockedWebhook(meta: Meta, id: string) {
  return webhook(meta, id).$call(lockRows(meta))
}

function webhook(db: Kysely<MetaTables>, id: string) {
  return db.selectFrom('webhook').selectAll().where('id', '=', id)
}

export function failingSince(meta: Meta, time: number) {
  return meta
    .selectFrom('webhook')
    .select('id')
    .where('enabled', '=', 1)
    .where('application_id', 'is', null)
    .where('failing_since', '<=', time)
}

export function allWebhooks(meta: Meta): Promise<WebhookTable[]> {
  const all = meta.primary.selectFrom('webhook').selectAll().where('application_id', 'is', null)
  return all.orderBy('created_at', 'desc').orderBy('id', 'desc').execute()
}

/** Addresses of webhooks, and of applications that are notified of sign-outs. */
export function addressesInUse(meta: Meta) {
  return meta.primary.selectFrom('webhook').select('url').where('enabled', '=', 1).execute()
}

/** Deliveries, and events that have not become deliveries yet. */
export async function waitingDeliveries(meta: Meta) {
  const deliveries = meta
    .selectFrom('webhook_delivery')
    .select((eb) => ['webhook_id', eb.fn.countAll<number>().as('waiting'), eb.fn.min('created_at').as('oldest')])
    .where(sql<boolean>`state = 'pending'`)
    .groupBy('webhook_id')
  const enabled = meta.selectFrom('webhook').select(['id', 'types', 'position']).where('enabled', '=', 1)
  const [webhooks, counts] = await meta.snapshot([enabled, deliveries], 'primary', 'long')
  const events = webhooks.map(({ position, types }) => eventsAfter(meta, position, JSON.parse(types)))
  const behind = await meta.snapshot(events, 'primary', 'long')
  return webhooks.map(({ id }, i) => {
    const made = counts.find(({ webhook_id }) => webhook_id === id)
    const [notMade] = behind[i] ?? []
    const times = [made?.oldest, notMade?.oldest].filter((time) => typeof time === 'number')
    return {
      id,
      waiting: (made?.waiting ?? 0) + (notMade?.waiting ?? 0),
      oldest: times.length === 0 ? null : Math.min(...times),
    }
  })
}

/**
 * Locks them all for a decision that creates one: of two at once the second counts the first, unless there is none yet.
 */
export function lockWebhooks(meta: Meta) {
  return meta.selectFrom('webhook').select('id').orderBy('id').$call(lockRows(meta))
}

/** Runs after `lockWebhooks`: a locking query does not see what was inserted while it waited. */
export function countWebhooks(meta: Meta) {
  return meta
    .selectFrom('webhook')
    .select((eb) => eb.fn.countAll<number>().as('webhooks'))
    .where('application_id', 'is', null)
}

/** Those of events, behind the lock on them; what a delivery changes is left out. */
export function webhooksToCompare(meta: Meta) {
  return meta
    .selectFrom('webhook')
    .select(['id', 'key', 'url', 'types'])
    .where('application_id', 'is', null)
    .orderBy('key')
    .orderBy('id')
}

export function updateWebhookRow(meta: Meta, id: string, changes: Partial<Omit<WebhookTable, 'id'>>) {
  return meta.updateTable('webhook').set(changes).where('id', '=', id)
}

export function deleteWebhookRow(meta: Meta, id: string) {
  return meta.deleteFrom('webhook').where('id', '=', id)
}
