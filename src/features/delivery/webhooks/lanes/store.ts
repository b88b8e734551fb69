import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import { prepared } from '../../../../database/prepared.ts'
import type { WebhookDeliveryTable, WebhookTable } from '../../../../database/schema/products/webhooks.ts'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import { jsonRows } from '../../../../database/sql/json-rows.ts'
import { lockRows } from '../../../../database/sql/row-lock.ts'
import type { Meta } from '../../../../database/store.ts'
import { MINUTE_MILLISECONDS } from '../../../../rules/time.ts'
import { orderEnd } from '../../../ground/events/statements.ts'

/** A lease this long dates from before the clock was set back, and its process may have ended. */
const LONGER_THAN_A_LEASE_MILLISECONDS = 10 * MINUTE_MILLISECONDS

function freeFor(eb: ExpressionBuilder<MetaTables, 'webhook'>, owner: string, now: number) {
  return eb.or([
    eb('claimed_until', '<=', now),
    eb('claimed_until', '>', now + LONGER_THAN_A_LEASE_MILLISECONDS),
    eb('claimed_by', '=', owner),
  ])
}

/** Endpoints that no other process works on and that have work: new events, or a delivery that is due. */
export function workableWebhooks(meta: Meta, owner: string, now: number) {
  return meta
    .selectFrom('webhook')
    .select('id')
    .where('enabled', '=', 1)
    .where((eb) => freeFor(eb, owner, now))
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
}

/** Undefined if another process works on it, or it was switched off or deleted. */
export async function claimedWebhook({ primary }: Meta, id: string, owner: string) {
  const [row] = await primary.run(claimedById(primary, { id, owner }))
  return row
}

const LANE = { id: '', owner: '' }

const claimedById = prepared(LANE, claimedRow)

export type ClaimedWebhook = NonNullable<Awaited<ReturnType<typeof claimedWebhook>>>

function claimedRow(db: Kysely<MetaTables>, { id, owner }: typeof LANE) {
  return db
    .selectFrom('webhook')
    .select(['url', 'types', 'sealed', 'former_sealed', 'former_until', 'application_id'])
    .where('id', '=', id)
    .where('claimed_by', '=', owner)
    .where('enabled', '=', sql.lit(1))
}

/** Undefined if another process works on it, or it was switched off. */
export async function claim(meta: Meta, id: string, owner: string, now: number, until: number) {
  const [row] = await meta
    .updateTable('webhook')
    .set({ claimed_by: owner, claimed_until: until })
    .where('id', '=', id)
    .where('enabled', '=', 1)
    .where((eb) => freeFor(eb, owner, now))
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

/** Locks the endpoint for a decision of the lane's process; another process's claim waits. No row if it came first. */
export function lockedLane(meta: Meta, id: string, owner: string) {
  return laneOf(meta, { id, owner })
}

const laneOf = prepared(LANE, (db: Kysely<MetaTables>, lane) => claimedRow(db, lane).$call(lockRows(db)))

export type NewDelivery = Pick<
  WebhookDeliveryTable,
  'id' | 'webhook_id' | 'event_id' | 'type' | 'user_id' | 'position' | 'created_at'
>

/**
 * Writes deliveries and position together; deliveries that another process has written are not written twice. A new
 * delivery is due no earlier than the last one waiting for the same user, so later deliveries are never due before
 * earlier ones. Runs after `lockedLane`, which locks the endpoint: no other process notes an outcome or writes
 * deliveries meanwhile.
 */
export function insertDeliveries(meta: Meta, id: string, position: number, rows: readonly NewDelivery[]) {
  const move = meta.updateTable('webhook').set({ position }).where('id', '=', id).where('position', '<', position)
  if (rows.length === 0) return [move]
  const given = jsonRows<NewDelivery>(meta, NEW_COLUMNS, rows)
  const dueOfUser = meta
    .selectFrom('webhook_delivery as earlier')
    .select('earlier.next_attempt_at')
    .whereRef('earlier.webhook_id', '=', sql.ref('given.webhook_id'))
    .whereRef('earlier.user_id', '=', sql.ref('given.user_id'))
    .where(sql<boolean>`earlier.state = 'pending'`)
    .orderBy('earlier.position', 'desc')
    .limit(1)
  const made = meta
    .insertInto('webhook_delivery')
    .columns([...(Object.keys(NEW_COLUMNS) as (keyof NewDelivery)[]), 'begun_at', 'state', 'next_attempt_at'])
    .expression((eb) =>
      eb
        .selectFrom(given.as('given'))
        .selectAll()
        .select([
          'given.created_at as begun_at',
          sql.lit('pending').as('state'),
          sql<number>`coalesce(${dueOfUser}, 0)`.as('next_attempt_at'),
        ])
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) => conflict.columns(['webhook_id', 'event_id']).doNothing())
  return [made, move]
}

const NEW_COLUMNS = {
  id: 'text',
  webhook_id: 'text',
  event_id: 'text',
  type: 'text',
  user_id: 'text',
  position: 'bigint',
  created_at: 'bigint',
} as const

/** The order in which each user's deliveries must be sent. Runs after `lockedLane`, which locks the endpoint. */
export const dueDeliveries = prepared(
  { webhookId: '', now: 0, limit: 0 },
  (db: Kysely<MetaTables>, { webhookId, now, limit }) =>
    db
      .selectFrom('webhook_delivery')
      .selectAll()
      .where('webhook_id', '=', webhookId)
      .where(sql<boolean>`state = 'pending'`)
      .where('next_attempt_at', '<=', now)
      .orderBy('next_attempt_at')
      .orderBy('position')
      .limit(limit),
)

export type EndpointState = Partial<Pick<WebhookTable, 'failing_since' | 'last_taken_at'>>

/** Changes nothing if another process has taken the lane since: its own attempts count then. */
export function noteState(meta: Meta, { id, claimed_by }: WebhookTable, state: EndpointState) {
  return meta.updateTable('webhook').set(state).where('id', '=', id).where('claimed_by', '=', claimed_by)
}
