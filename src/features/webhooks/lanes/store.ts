import { sql } from 'kysely'
import { jsonRows } from '../../../database/json-rows.ts'
import type { WebhookDeliveryTable } from '../../../database/schema/webhooks.ts'
import type { Meta } from '../../../database/store.ts'
import { orderEnd } from '../../events/statements.ts'

/** Endpoints that nobody works on and that have something to do: events to look at, or a delivery that is due. */
export async function idleWebhooks(meta: Meta, owner: string, now: number): Promise<readonly string[]> {
  const rows = await meta.primary
    .selectFrom('webhook')
    .select('id')
    .where('enabled', '=', 1)
    .where((eb) => eb.or([eb('claimed_until', '<=', now), eb('claimed_by', '=', owner)]))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('position', '<', orderEnd(meta)),
        exists(
          selectFrom('webhook_delivery')
            .select('webhook_delivery.id')
            .whereRef('webhook_delivery.webhook_id', '=', 'webhook.id')
            .where(sql<boolean>`state = 'pending'`)
            .where('next_attempt_at', '<=', now),
        ),
      ]),
    )
    .execute()
  return rows.map(({ id }) => id)
}

/** Undefined if another process works on it, or it was switched off. */
export async function claim(meta: Meta, id: string, owner: string, now: number, until: number) {
  const [row] = await meta
    .updateTable('webhook')
    .set({ claimed_by: owner, claimed_until: until })
    .where('id', '=', id)
    .where('enabled', '=', 1)
    .where((eb) => eb.or([eb('claimed_until', '<=', now), eb('claimed_by', '=', owner)]))
    .returningAll()
    .execute()
  return row
}

export async function release(meta: Meta, id: string, owner: string): Promise<void> {
  await meta
    .updateTable('webhook')
    .set({ claimed_until: 0 })
    .where('id', '=', id)
    .where('claimed_by', '=', owner)
    .execute()
}

export type NewDelivery = Pick<
  WebhookDeliveryTable,
  'id' | 'webhook_id' | 'event_id' | 'type' | 'user_id' | 'position' | 'created_at'
>

/** Both or nothing; what another process has written down meanwhile is not written twice. */
export function writeDown(meta: Meta, id: string, position: number, rows: readonly NewDelivery[]) {
  const move = meta
    .updateTable('webhook')
    .set({ position })
    .where('id', '=', id)
    .where('position', '<', position)
  if (rows.length === 0) return [move]
  const given = jsonRows<NewDelivery>(meta, COLUMNS, rows)
  const made = meta
    .insertInto('webhook_delivery')
    .columns([...(Object.keys(COLUMNS) as (keyof NewDelivery)[]), 'begun_at', 'state'])
    .expression((eb) =>
      eb
        .selectFrom(given.as('given'))
        .selectAll()
        .select(['given.created_at as begun_at', sql.lit('pending').as('state')])
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) => conflict.columns(['webhook_id', 'event_id']).doNothing())
  return [made, move]
}

const COLUMNS = {
  id: 'text',
  webhook_id: 'text',
  event_id: 'text',
  type: 'text',
  user_id: 'text',
  position: 'bigint',
  created_at: 'bigint',
} as const

/** Nothing of a user for whom something earlier waits for its next try. */
export function dueDeliveries(
  meta: Meta,
  webhookId: string,
  now: number,
  limit: number,
): Promise<WebhookDeliveryTable[]> {
  return meta.primary
    .selectFrom('webhook_delivery as due')
    .selectAll()
    .where('due.webhook_id', '=', webhookId)
    .where(sql<boolean>`due.state = 'pending'`)
    .where('due.next_attempt_at', '<=', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_delivery as earlier')
            .select('earlier.id')
            .whereRef('earlier.webhook_id', '=', 'due.webhook_id')
            .whereRef('earlier.user_id', '=', 'due.user_id')
            .whereRef('earlier.position', '<', 'due.position')
            .where(sql<boolean>`earlier.state = 'pending'`)
            .where('earlier.next_attempt_at', '>', now),
        ),
      ),
    )
    .orderBy('due.position')
    .limit(limit)
    .execute()
}

export type Attempted = Pick<
  WebhookDeliveryTable,
  'state' | 'next_attempt_at' | 'last_attempt_at' | 'status' | 'answer' | 'error' | 'milliseconds'
>

export function noteAttempt(meta: Meta, id: string, attempted: Attempted) {
  return meta
    .updateTable('webhook_delivery')
    .set((eb) => ({ ...attempted, tries: eb('tries', '+', 1) }))
    .where('id', '=', id)
}

/** So that what waits behind a failed delivery is not looked at again and again. */
export function deferBehind(
  meta: Meta,
  { webhook_id, user_id, position }: WebhookDeliveryTable,
  until: number,
) {
  return meta
    .updateTable('webhook_delivery')
    .set({ next_attempt_at: until })
    .where('webhook_id', '=', webhook_id)
    .where('user_id', '=', user_id)
    .where('position', '>', position)
    .where(sql<boolean>`state = 'pending'`)
    .where('next_attempt_at', '<', until)
}

export function noteTaken(meta: Meta, id: string, now: number) {
  return meta.updateTable('webhook').set({ last_taken_at: now, failing_since: null }).where('id', '=', id)
}

export function noteFailing(meta: Meta, id: string, now: number) {
  return meta
    .updateTable('webhook')
    .set({ failing_since: now })
    .where('id', '=', id)
    .where('failing_since', 'is', null)
}

/** Each is returned to one of the processes that see it fail. */
export function switchOff(meta: Meta, failingSince: number, now: number) {
  return meta
    .updateTable('webhook')
    .set({ enabled: 0, switched_off_at: now })
    .where('enabled', '=', 1)
    .where('failing_since', '<=', failingSince)
    .returning(['id', 'url'])
    .execute()
}
