import { type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import type { EventOutboxTable, EventTable } from '../../../database/schema/events.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { changeRows } from '../../../database/sql/by-row.ts'
import { jsonRows } from '../../../database/sql/json-rows.ts'
import { lockRows, skipLockedRows } from '../../../database/sql/row-lock.ts'
import type { Meta, Shard } from '../../../database/store.ts'
import type { EventType } from '../../../rules/event-types.ts'
import { NOT_AUDITED, orderEnd } from './statements.ts'

export async function lastPosition(meta: Meta): Promise<number> {
  const { last } = await meta.primary.selectFrom('event_order').select('last').executeTakeFirstOrThrow()
  return last
}

export type Pending = Pick<EventTable, 'id' | 'created_at'>

export function pendingEvents(meta: Meta, limit: number): Promise<Pending[]> {
  return meta.primary
    .selectFrom('event')
    .select(['id', 'created_at'])
    .where('position', 'is', null)
    .where('type', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

export interface UnplacedEvents {
  readonly waiting: number
  /** When the first of them was written. */
  readonly oldest: number | null
}

const NONE: UnplacedEvents = { waiting: 0, oldest: null }

export async function waitingEvents(meta: Meta): Promise<UnplacedEvents> {
  const waiting = meta
    .selectFrom('event')
    .select((eb) => [eb.fn.countAll<number>().as('waiting'), eb.fn.min('created_at').as('oldest')])
    .where('position', 'is', null)
    .where('type', 'is not', null)
  const [[row]] = await meta.snapshot([waiting], 'primary', 'long')
  return row ?? NONE
}

export async function waitingIn(shard: Shard): Promise<UnplacedEvents> {
  const waiting = shard
    .selectFrom('event_outbox')
    .select((eb) => [eb.fn.countAll<number>().as('waiting'), eb.fn.min('created_at').as('oldest')])
  const [[row]] = await shard.snapshot([waiting], 'primary', 'long')
  return row ?? NONE
}

export function outbox(shard: Shard, limit: number): Promise<EventOutboxTable[]> {
  return shard.primary.selectFrom('event_outbox').selectAll().orderBy('id').limit(limit).execute()
}

/** Deletes the given rows; one that another relay has cleared is gone when it is checked again. */
export async function clearOutbox(shard: Shard, ids: readonly string[]): Promise<void> {
  const given = jsonRows(
    shard,
    { id: 'text' },
    ids.map((id) => ({ id })),
  )
  await shard
    .deleteFrom('event_outbox')
    .where('id', 'in', (eb) => eb.selectFrom(given.as('given')).select('given.id'))
    .execute()
}

/** Locks the order, so that one process at a time places events. */
export function lockedOrder(meta: Meta) {
  return ordersEnd(meta, {})
}

const ordersEnd = prepared({}, (db: Kysely<MetaTables>) =>
  db.selectFrom('event_order').select('last').$call(lockRows(db)),
)

/**
 * Runs after the events are placed. The order ends at an event that is stored, even if some of those that were read had
 * their place already: a cursor at its end can then be told from one that this order never had.
 */
export const moveOrder = prepared({}, (db: Kysely<MetaTables>) => {
  const placed = db.selectFrom('event').where('position', 'is not', null).select(newestPosition)
  return db
    .updateTable('event_order')
    .from(placed.as('placed'))
    .set((eb) => ({ last: eb.ref('placed.newest') }))
    .whereRef('placed.newest', '>', 'event_order.last')
})

function newestPosition(eb: ExpressionBuilder<MetaTables, 'event'>) {
  return eb.fn.max('position').$castTo<number>().as('newest')
}

export interface Placed {
  readonly id: string
  readonly position: number
}

/** Runs after `lockedOrder`: no other relay has placed anything since the rows were read. */
export function place(meta: Meta, placed: readonly Placed[]) {
  return changeRows(meta, placed, {
    all: (rows) => placeAll(meta, rows),
    one: (row) => placeOne(meta, row),
  })
}

function placeAll(meta: Meta, placed: readonly Placed[]) {
  const given = jsonRows(meta, { id: 'text', position: 'bigint' }, placed)
  return meta
    .updateTable('event')
    .from(given.as('given'))
    .set((eb) => ({ position: eb.ref('given.position') }))
    .whereRef('event.id', '=', 'given.id')
}

const placeOne = prepared({ id: '', position: 0 }, (db: Kysely<MetaTables>, { id, position }) =>
  db.updateTable('event').set({ position }).where('id', '=', id),
)

const COLUMNS = {
  id: 'text',
  created_at: 'bigint',
  action: 'text',
  actor_id: 'text',
  subject_type: 'text',
  subject_id: 'text',
  ip: 'text',
  details: 'text',
  type: 'text',
  organization_id: 'text',
  user_id: 'text',
  data: 'text',
  position: 'bigint',
} as const

/**
 * Inserts rows from a shard with their place; a second time changes nothing, since the id is unique. `lockedOrder` lets
 * only one process at a time copy rows. An embedded store takes bound rows in half the time.
 */
export function insertPlaced(meta: Meta, rows: readonly EventTable[]) {
  return changeRows(meta, rows, {
    all: (all) => insertAllPlaced(meta, all),
    one: (row) => insertOnePlaced(meta, row),
  })
}

const EXAMPLE: EventTable = {
  ...NOT_AUDITED,
  id: '',
  created_at: 0,
  type: null,
  user_id: null,
  data: null,
  position: 0,
}

const insertOnePlaced = prepared(EXAMPLE, (db: Kysely<MetaTables>, row) =>
  db
    .insertInto('event')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

/** The id is unique; `given` reads no table. */
function insertAllPlaced(meta: Meta, rows: readonly EventTable[]) {
  const given = jsonRows<EventTable>(meta, COLUMNS, rows)
  return meta
    .insertInto('event')
    .columns(Object.keys(COLUMNS) as (keyof EventTable)[])
    .expression((eb) =>
      eb
        .selectFrom(given.as('given'))
        .selectAll()
        // SQLite takes the `on` of a conflict for a join's unless there is a condition.
        .where(sql<SqlBool>`true`),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
}

const ENVELOPE = ['id', 'type', 'created_at', 'user_id', 'organization_id', 'data', 'position'] as const

export type PlacedRow = Pick<EventTable, (typeof ENVELOPE)[number]>

export function byIds(meta: Meta, ids: readonly string[]): Promise<PlacedRow[]> {
  return meta.primary
    .selectFrom('event')
    .select(ENVELOPE)
    .where('id', 'in', ids)
    .where('type', 'is not', null)
    .execute()
}

/** The end of the order is read first: an event that is placed between the two reads is behind it. */
export function placedAfter(meta: Meta, after: number, types: readonly EventType[], limit: number) {
  const placed = meta
    .selectFrom('event')
    .select(ENVELOPE)
    .where('position', '>', after)
    // A program of 0.3.0 also gave a place to entries that are for the audit log alone.
    .where('type', 'is not', null)
    .orderBy('position')
    .limit(limit)
  return [orderEnd(meta), types.length === 0 ? placed : placed.where('type', 'in', types)] as const
}

/** What tells whether this order has had a cursor, and still has everything after it. */
export function cursorFacts(meta: Meta, cursor: number) {
  return [
    meta.selectFrom('event_order').select(['last', 'swept']),
    meta.selectFrom('event').select('id').where('position', '=', cursor),
  ] as const
}

/** When the oldest event that has no place yet was written. */
export function oldestUnplaced(meta: Meta) {
  return meta.primary
    .selectFrom('event')
    .select('created_at')
    .where('position', 'is', null)
    .where('type', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
}

/** Runs before the events up to there are deleted. */
export async function noteSwept(meta: Meta, before: number): Promise<void> {
  const over = meta.selectFrom('event').where('position', '<', before).select(newestPosition)
  await meta
    .updateTable('event_order')
    .from(over.as('over'))
    .set((eb) => ({ swept: eb.ref('over.newest') }))
    .whereRef('over.newest', '>', 'event_order.swept')
    .execute()
}

/**
 * Ends at most `atMost` of the oldest events. Rows that the audit log still shows lose only the part for products. A
 * row locked by another sweep is left for the next time: this one would not see its new state.
 */
export function endEventsBefore(meta: Meta, position: number, atMost: number) {
  const oldest = meta
    .selectFrom('event')
    .select('event.id')
    .where('position', '<', position)
    .orderBy('position')
    .limit(atMost)
    .$call(skipLockedRows(meta))
  return [
    meta
      .deleteFrom('event')
      .where('id', 'in', oldest.where('action', '=', ''))
      .returning('id'),
    meta
      .updateTable('event')
      .set({ type: null, user_id: null, data: null, position: null })
      .where('id', 'in', oldest.where('action', '<>', ''))
      .returning('id'),
  ] as const
}
