import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../../database/prepared.ts'
import type { WebhookDeliveryTable } from '../../../../database/schema/products/webhooks.ts'
import type { MetaTables } from '../../../../database/schema/tables.ts'
import { changeRows } from '../../../../database/sql/by-row.ts'
import { jsonRows } from '../../../../database/sql/json-rows.ts'
import type { Meta } from '../../../../database/store.ts'

const OUTCOME = {
  state: 'text',
  next_attempt_at: 'bigint',
  last_attempt_at: 'bigint',
  status: 'bigint',
  answer: 'text',
  error: 'text',
  milliseconds: 'bigint',
} as const

const ROW = { id: 'text', tries: 'bigint', begun_at: 'bigint', ...OUTCOME } as const

/** The delivery as it was before the attempt, with the outcome. */
export type Row = Pick<WebhookDeliveryTable, keyof typeof ROW>

/**
 * Returns their ids. Skips deliveries that another process has tried in the meantime, or that are to be sent again: both
 * change `tries` or `begun_at`.
 */
export function updateDeliveries(meta: Meta, rows: readonly Row[]) {
  return changeRows(meta, rows, {
    all: (rows) => noteAll(meta, rows),
    one: (row) => noteOne(meta, { ...row, tries_now: row.tries + 1 }),
  })
}

function noteAll(meta: Meta, rows: readonly Row[]) {
  const given = jsonRows<Row>(meta, ROW, rows)
  const columns = Object.keys(OUTCOME) as (keyof typeof OUTCOME)[]
  return meta
    .updateTable('webhook_delivery')
    .from(given.as('given'))
    .set((eb) => ({
      ...Object.fromEntries(columns.map((name) => [name, eb.ref(`given.${name}`)])),
      tries: eb('given.tries', '+', 1),
    }))
    .whereRef('webhook_delivery.id', '=', 'given.id')
    .whereRef('webhook_delivery.tries', '=', 'given.tries')
    .whereRef('webhook_delivery.begun_at', '=', 'given.begun_at')
    .returning('webhook_delivery.id')
}

const ONE: Row & { readonly tries_now: number } = {
  id: '',
  tries: 0,
  tries_now: 1,
  begun_at: 0,
  state: 'pending',
  next_attempt_at: 0,
  last_attempt_at: 0,
  status: 0,
  answer: '',
  error: '',
  milliseconds: 0,
}

const noteOne = prepared(ONE, (db: Kysely<MetaTables>, { id, tries, begun_at, tries_now, ...outcome }) =>
  db
    .updateTable('webhook_delivery')
    .set({ ...outcome, tries: tries_now })
    .where('id', '=', id)
    .where('tries', '=', tries)
    .where('begun_at', '=', begun_at)
    .returning('id'),
)

/** Follows the lock on the endpoint, and precedes the outcomes of the same decision, which keep their waits. */
export function bringForward(meta: Meta, webhookId: string, now: number) {
  return meta
    .updateTable('webhook_delivery')
    .set({ next_attempt_at: now })
    .where('webhook_id', '=', webhookId)
    .where(sql<boolean>`state = 'pending'`)
    .where('next_attempt_at', '>', now)
}

/** The user's deliveries behind a failed one wait for its next try. Events without a user have no order to keep. */
export function deferLaterOfUser(
  meta: Meta,
  { webhook_id, user_id, position }: Pick<WebhookDeliveryTable, 'webhook_id' | 'user_id' | 'position'>,
  until: number,
) {
  if (user_id === null) return []
  return [
    meta
      .updateTable('webhook_delivery')
      .set({ next_attempt_at: until })
      .where('webhook_id', '=', webhook_id)
      .where('user_id', '=', user_id)
      .where('position', '>', position)
      .where(sql<boolean>`state = 'pending'`)
      .where('next_attempt_at', '<', until),
  ]
}
