import { batchBehind } from '../../../database/guard.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { EVENTS_JOB, ORDER_MOVED, positionAt } from '../order.ts'
import type { NewRow } from '../statements.ts'
import * as store from '../store.ts'
import { emptyOutbox, isLate, readOutbox } from './outboxes.ts'

const ROWS_AT_ONCE = 1_000
const GATHER_MILLISECONDS = 100
/** Events from a clock that is ahead by more than this are not held back. */
const CLOCKS_DIFFER_MILLISECONDS = 1_000

/**
 * Gives events their place in the single order: those of the global store in place, those of the shards as
 * they are copied over. A row that is committed late comes later in the order, so a reader never skips it.
 */
export function relayJob(platform: Platform): Job {
  const wake = () => platform.background.wake(EVENTS_JOB)
  platform.meta.onInsert('event', wake)
  for (const shard of platform.shards.values()) shard.onInsert('event_outbox', wake)
  return {
    name: EVENTS_JOB,
    everySeconds: 1,
    gatherMilliseconds: GATHER_MILLISECONDS,
    atStart: true,
    async run() {
      while (!platform.ending.aborted && (await relayBatch(platform)) === 'more');
    },
  }
}

/** Where a test ends the process. */
type OnStep = (step: 'read' | 'placed' | 'cleared') => void | Promise<void>

/** One turn: at most `ROWS_AT_ONCE` of each store. A shard that is late is part of a later one. */
export async function relayBatch(
  platform: Platform,
  onStep: OnStep = () => undefined,
): Promise<'more' | 'done'> {
  const { meta } = platform
  const startedAt = platform.now()
  const last = await store.lastPosition(meta)
  const shards = [...platform.shards.values()]
  const taken = await Promise.all(
    shards.map(async (shard) => ({ shard, rows: await readOutbox(platform, shard, ROWS_AT_ONCE) })),
  )
  // Read after the shards: whatever in the global store caused an event there is committed by now.
  const pending = await store.pendingEvents(meta, ROWS_AT_ONCE)
  const cut = cutOf(startedAt, [pending, ...taken.map(({ rows }) => rows)])
  const isDue = ({ created_at: at }: store.Pending) =>
    at <= cut || at > startedAt + CLOCKS_DIFFER_MILLISECONDS
  const shardRows = taken.flatMap(({ rows }) => rows).filter(isDue)
  const own = pending.filter(isDue)
  await onStep('read')
  if (shardRows.length + own.length === 0) return shards.some(isLate) ? 'more' : 'done'
  if (!(await placeAll(platform, last, own, shardRows))) return 'more'
  platform.signals.send(ORDER_MOVED)
  await onStep('placed')
  const due = new Set(shardRows.map(({ id }) => id))
  const cleared = await Promise.all(
    taken.map(async ({ shard, rows }) => {
      const ids = rows.flatMap(({ id }) => (due.has(id) ? [id] : []))
      return (await emptyOutbox(platform, shard, ids, isFull(rows))) ? rows : []
    }),
  )
  await onStep('cleared')
  return [pending, ...cleared].some(isFull) || shards.some(isLate) ? 'more' : 'done'
}

function isFull({ length }: readonly unknown[]): boolean {
  return length === ROWS_AT_ONCE
}

/**
 * Rows written later than this wait for the next turn, because their causes may be in a store that was read
 * earlier.
 */
function cutOf(startedAt: number, stores: readonly (readonly store.Pending[])[]): number {
  const ends = stores.filter(isFull).map((rows) => Math.max(...rows.map(({ created_at: at }) => at)))
  return Math.min(startedAt, ...ends)
}

/** False if another process has advanced the order in the meantime; then everything is read again. */
async function placeAll(
  platform: Platform,
  last: number,
  own: readonly store.Pending[],
  shardRows: readonly NewRow[],
): Promise<boolean> {
  const { meta, now } = platform
  const first = Math.max(last + 1, positionAt(now()))
  const inOrder = [...own, ...shardRows].sort(byTime)
  const positions = new Map(inOrder.map(({ id }, i) => [id, first + i]))
  const placed = <Row extends store.Pending>(row: Row) => ({ ...row, position: positions.get(row.id) ?? 0 })
  const to = first + inOrder.length - 1
  const guard = store.moveOrder(meta, last, to, (cause) => new OrderMoved('moved meanwhile', { cause }))
  try {
    await batchBehind(meta, guard, [
      ...store.place(meta, own.map(placed).map(identified)),
      ...store.insertPlaced(meta, shardRows.map(placed)),
    ])
    return true
  } catch (error) {
    if (error instanceof OrderMoved) return false
    throw error
  }
}

function identified({ id, position }: store.Placed): store.Placed {
  return { id, position }
}

function byTime(a: store.Pending, b: store.Pending): number {
  return a.created_at - b.created_at || (a.id < b.id ? -1 : 1)
}

class OrderMoved extends Error {
  override readonly name = 'OrderMoved'
}
