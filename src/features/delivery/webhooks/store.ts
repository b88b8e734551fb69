import { sql } from 'kysely'
import type { Guard } from '../../../database/guard.ts'
import type { WebhookTable } from '../../../database/schema/products/webhooks.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { eventsAfter, orderEnd } from '../../ground/events/statements.ts'

/** Begins at the end of the order: earlier events are not sent. */
export function insertWebhook(meta: Meta, row: Omit<WebhookTable, 'position'>) {
  return meta.insertInto('webhook').values({ ...row, position: sql<number>`${orderEnd(meta)}` })
}

export function findWebhook(meta: Meta, id: string) {
  return meta.primary
    .selectFrom('webhook')
    .selectAll()
    .where('id', '=', id)
    .where('application_id', 'is', null)
    .executeTakeFirst()
}

export function allWebhooks(meta: Meta): Promise<WebhookTable[]> {
  const all = meta.primary.selectFrom('webhook').selectAll().where('application_id', 'is', null)
  return all.orderBy('created_at', 'desc').orderBy('id', 'desc').execute()
}

/** Deliveries, and events that have not become deliveries yet. */
export async function waitingDeliveries(meta: Meta) {
  const deliveries = meta
    .selectFrom('webhook_delivery')
    .select((eb) => [
      'webhook_id',
      eb.fn.countAll<number>().as('waiting'),
      eb.fn.min('created_at').as('oldest'),
    ])
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

/** The rows are locked, so that two webhooks that are created at once are counted one after the other. */
export function roomForOne(meta: Meta, most: number, refused: Guard['refused']): Guard {
  const counted = sql<number>`(select count(*) from webhook where application_id is null)`
  return {
    lock: lockRows(meta)(meta.selectFrom('webhook').select('id').orderBy('id')),
    statement: meta
      .updateTable('webhook')
      .set({ created_at: sql<number>`case when ${counted} < ${most} then created_at end` })
      .where('id', '=', sql<string>`(select min(id) from webhook)`),
    table: 'webhook',
    column: 'created_at',
    refused,
  }
}

export function isThere(meta: Meta, id: string) {
  return meta.selectFrom('webhook').select('id').where('id', '=', id)
}

export function holdWebhook(meta: Meta, id: string) {
  return lockRows(meta)(isThere(meta, id))
}

/** Of two rotations at once, the second keeps the first one's secret as the former one. */
export function replaceSecret(meta: Meta, id: string, sealed: string, formerUntil: number, now: number) {
  return meta
    .updateTable('webhook')
    .set((eb) => ({
      sealed,
      former_sealed: eb.ref('sealed'),
      former_until: formerUntil,
      updated_at: now,
    }))
    .where('id', '=', id)
    .where('application_id', 'is', null)
    .returning('id')
}

export function updateWebhookRow(meta: Meta, id: string, changes: Partial<Omit<WebhookTable, 'id'>>) {
  return meta
    .updateTable('webhook')
    .set(changes)
    .where('id', '=', id)
    .where('application_id', 'is', null)
    .returningAll()
}

export function deleteWebhookRow(meta: Meta, id: string) {
  return meta.deleteFrom('webhook').where('id', '=', id).where('application_id', 'is', null).returning('id')
}
