import type { Job } from '../../../../platform/background.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { EVENTS_JOB, ORDER_MOVED, positionAt } from '../order.ts'
import type { NewRow } from '../statements.ts'
import * as store from '../store.ts'
import { Outbox } from './outbox.ts'

const ROWS_AT_ONCE = 1_000
const GATHER_MILLISECONDS = 100
/** Events from a clock that is ahead by more than this are not held back. */
const CLOCKS_DIFFER_MILLISECONDS = 1_000

/** Runs as soon as this process has written an event, and every second for the events of other processes. */
export function relayJob(platform: Platform): Job {
  const relay = new Relay(platform)
  return {
    name: EVENTS_JOB,
    wokenBy: { meta: 'event', shards: 'event_outbox' },
    everySeconds: 1,
    gatherMilliseconds: GATHER_MILLISECONDS,
    atStart: true,
    async run() {
      while (!platform.ending.aborted && (await relay.turn()) === 'more');
    },
  }
}

/** Points at which a test ends the process. */
type OnStep = (step: 'read' | 'placed' | 'cleared') => void | Promise<void>

/**
 * Gives events their place in the single order: those of the global store in place, those of the shards as
 * they are copied over. A row that is committed late comes later in the order, so a reader never skips it.
 */
export class Relay {
  readonly #platform: Platform
  readonly #outboxes: readonly Outbox[]

  constructor(platform: Platform) {
    this.#platform = platform
    this.#outboxes = [...platform.shards.values()].map((shard) => new Outbox(shard, platform.log))
  }

  /** Places at most `ROWS_AT_ONCE` events of each store. A slow shard takes part in a later turn. */
  async turn(onStep: OnStep = () => undefined): Promise<'more' | 'done'> {
    const { meta, now, signals } = this.#platform
    const startedAt = now()
    const last = await store.lastPosition(meta)
    const taken = await Promise.all(
      this.#outboxes.map(async (outbox) => ({ outbox, rows: await outbox.read(ROWS_AT_ONCE) })),
    )
    // Read after the shards: whatever in the global store caused an event in a shard is committed by now.
    const pending = await store.pendingEvents(meta, ROWS_AT_ONCE)
    const isDue = dueBy(startedAt, [pending, ...taken.map(({ rows }) => rows)])
    const shardRows = taken.flatMap(({ rows }) => rows).filter(isDue)
    const own = pending.filter(isDue)
    await onStep('read')
    if (shardRows.length + own.length === 0) return this.#isAnyLate() ? 'more' : 'done'
    if (!(await placeAll(this.#platform, last, own, shardRows))) return 'more'
    signals.send(ORDER_MOVED)
    await onStep('placed')
    const cleared = await Promise.all(
      taken.map(async ({ outbox, rows }) => {
        const ids = rows.filter(isDue).map(({ id }) => id)
        return (await outbox.delete(ids, isFull(rows))) ? rows : []
      }),
    )
    await onStep('cleared')
    return [pending, ...cleared].some(isFull) || this.#isAnyLate() ? 'more' : 'done'
  }

  #isAnyLate(): boolean {
    return this.#outboxes.some(({ isLate }) => isLate)
  }
}

function isFull({ length }: readonly unknown[]): boolean {
  return length === ROWS_AT_ONCE
}

/**
 * True if a row can be placed now. A row written after the turn began, or after the last row read from a store that has
 * more, waits: its cause may be in a store that was read earlier.
 */
function dueBy(startedAt: number, stores: readonly (readonly store.Pending[])[]) {
  const ends = stores.filter(isFull).map((rows) => Math.max(...rows.map(({ created_at: at }) => at)))
  const latest = Math.min(startedAt, ...ends)
  return ({ created_at: at }: store.Pending) => at <= latest || at > startedAt + CLOCKS_DIFFER_MILLISECONDS
}

/** Returns false if another process has advanced the order in the meantime; everything is then read again. */
async function placeAll(
  platform: Platform,
  last: number,
  own: readonly store.Pending[],
  shardRows: readonly NewRow[],
): Promise<boolean> {
  const { meta, now } = platform
  const first = Math.max(last + 1, positionAt(now()))
  // The other rows are for the audit log alone.
  const events = shardRows.filter(({ type }) => type !== null)
  const inOrder = [...own, ...events].sort(byTime)
  const positions = new Map(inOrder.map(({ id }, i) => [id, first + i]))
  const placed = <Row extends store.Pending>(row: Row) => ({ ...row, position: positions.get(row.id) ?? 0 })
  return meta.decide([store.lockedOrder(meta)], async (decision, [order]) => {
    if (order?.last !== last) return false
    const fromShards = shardRows.map((row) => ({ ...row, position: positions.get(row.id) ?? null }))
    decision.write(
      ...store.place(meta, own.map(placed).map(identified)),
      ...store.insertPlaced(meta, fromShards),
      store.moveOrder(meta, {}),
    )
    return true
  })
}

function identified({ id, position }: store.Placed): store.Placed {
  return { id, position }
}

function byTime(a: store.Pending, b: store.Pending): number {
  return a.created_at - b.created_at || (a.id < b.id ? -1 : 1)
}
