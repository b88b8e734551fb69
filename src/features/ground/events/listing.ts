import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Meta } from '../../../database/store.ts'
import { mapInTurns } from '../../../http/answers/long-list.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { EventType } from '../../../rules/event-types.ts'
import { invalidInput } from '../../../rules/refusal.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { positionAt } from './order.ts'
import { listenForMoves, together } from './shared-waiting.ts'
import * as store from './store.ts'

/** The envelope that products get, and its position in the order. */
export interface Event {
  readonly position: number
  readonly id: string
  readonly type: EventType
  readonly occurred_at: number
  readonly user_id: string | null
  readonly organization_id: string | null
  readonly data: Readonly<Record<string, unknown>>
}

export interface EventsAfter {
  /** An earlier `next`; undefined to start at the oldest stored event, `latest` for no past events. */
  readonly after?: string | undefined
  /** Absent or empty: all types. */
  readonly types?: readonly EventType[] | undefined
  readonly limit: number
  /** A page with more characters than this ends early; the rest follows after its `next`. */
  readonly longest?: number
  /** Finds out `currentAt` too. */
  readonly isDated?: boolean
}

export interface EventPage {
  readonly items: readonly Event[]
  /** Everything before this position has been seen. */
  readonly next: string
  /** What happened before is in the events up to `next`. Undefined if more events follow, or nobody asked. */
  readonly currentAt?: number | undefined
}

const ROWS_AT_ONCE = 50

/**
 * The events after the cursor, in their single order. Nothing that is committed later gets a position before
 * `next`.
 */
export async function eventsAfter(platform: Platform, query: EventsAfter): Promise<EventPage> {
  const { meta } = platform
  const { after = '0', types = [], limit, longest = Number.POSITIVE_INFINITY, isDated = false } = query
  if (after === LATEST) return { items: [], next: String(await store.lastPosition(meta)) }
  const placedUntil = isDated ? await allPlacedUntil(platform) : undefined
  let currentAt: number | undefined
  const rows: store.PlacedRow[] = []
  let position = Number(after)
  let characters = 0
  // Reads a few rows at a time, because an embedded store reads without a turn of the event loop.
  while (rows.length < limit && characters < longest) {
    if (rows.length > 0) await nextTurn()
    const wanted = Math.min(ROWS_AT_ONCE, limit - rows.length)
    const [[order], some] = await meta.snapshot(store.placedAfter(meta, position, types, wanted), 'primary')
    rows.push(...some)
    characters += some.reduce((sum, { data }) => sum + (data?.length ?? 0), 0)
    position = some.at(-1)?.position ?? position
    if (some.length === wanted) continue
    position = Math.max(position, order?.last ?? 0)
    currentAt = placedUntil
    break
  }
  return { items: await mapInTurns(rows, eventOf), next: String(position), currentAt }
}

/** A time up to which everything that was committed has its place by now. */
async function allPlacedUntil({ meta, now }: Platform): Promise<number> {
  const until = now()
  const unplaced = await store.oldestUnplaced(meta).executeTakeFirst()
  return unplaced ? Math.min(until, unplaced.created_at - 1) : until
}

/**
 * Events after the cursor are missing: their time was over, or the store is a backup from before the cursor. Without a
 * cursor nothing can be missing.
 */
async function hasGapAfter({ meta }: Platform, after: string | undefined): Promise<boolean> {
  if (after === undefined || after === LATEST) return false
  const cursor = Number(after)
  const [[order], [event]] = await meta.snapshot(store.cursorFacts(meta, cursor), 'primary')
  if (event || !order) return false
  return cursor === 0 ? order.swept > 0 : cursor !== order.last && cursor !== order.swept
}

/**
 * A cursor of another installation can be far ahead of this one's order, and its reader would get nothing for years.
 * Positions follow the clock, so none of this order's is a day ahead of it, unless the clock was wrong.
 */
export async function refuseForeignCursor({ meta, now }: Platform, after: string | undefined): Promise<void> {
  const position = Number(after)
  if (!(position > positionAt(now() + DAY_MILLISECONDS))) return
  if (position <= (await store.lastPosition(meta))) return
  throw invalidInput('after', 'This cursor is ahead of all events.')
}

export const LATEST = 'latest'
export const CURSOR = /^(\d{1,16}|latest)$/

/**
 * Like `eventsAfter`, but if there is nothing yet, waits for the given time, or until the caller leaves or the process
 * ends.
 */
export async function awaitEventsAfter(
  platform: Platform,
  query: EventsAfter,
  waitSeconds: number,
  ended: AbortSignal = platform.ending,
): Promise<EventPage> {
  const giveUpAt = performance.now() + waitSeconds * 1000
  const moved = listenForMoves(platform)
  ended.addEventListener('abort', moved.stop, { once: true })
  try {
    let page = await eventsTogether(platform, query)
    while (page.items.length === 0 && !ended.aborted && !platform.ending.aborted) {
      const left = giveUpAt - performance.now()
      if (left <= 0) break
      await moved.next(left)
      page = await eventsTogether(platform, { ...query, after: page.next })
    }
    return page
  } finally {
    ended.removeEventListener('abort', moved.stop)
    moved.stop()
  }
}

/** Those who wait are all woken at once, and most of them ask the same. */
export function eventsTogether(platform: Platform, query: EventsAfter): Promise<EventPage> {
  const { after, types, limit, longest, isDated } = query
  const asked = JSON.stringify([after, types, limit, longest, isDated])
  return together(platform, `events ${asked}`, () => eventsAfter(platform, query))
}

/** A page as products get it. */
export async function feedAfter(platform: Platform, query: EventsAfter, waitSeconds: number, ended?: AbortSignal) {
  await refuseForeignCursor(platform, query.after)
  const hasGap = await hasGapAfter(platform, query.after)
  const dated = { ...query, isDated: true }
  const { items, next, currentAt } = await awaitEventsAfter(platform, dated, hasGap ? 0 : waitSeconds, ended)
  return {
    items: items.map(envelopeOf),
    next,
    ...(hasGap && { gap: true as const }),
    ...(currentAt !== undefined && { current_at: currentAt }),
    now: platform.now(),
  }
}

function eventOf({ id, type, created_at, user_id, organization_id, data, position }: store.PlacedRow): Event {
  if (type === null) throw new TypeError('an event without a type has no place in the order')
  return {
    id,
    type,
    occurred_at: created_at,
    user_id,
    organization_id,
    data: JSON.parse(data ?? '{}'),
    position: position ?? 0,
  }
}

/** The event as products receive it. */
export function envelopeOf({ position: _, ...envelope }: Event) {
  return envelope
}

/** Returns only the events that are still stored. */
export async function findEvents(meta: Meta, ids: readonly string[]): Promise<readonly Event[]> {
  if (ids.length === 0) return []
  return (await store.byIds(meta, ids)).map(eventOf)
}
