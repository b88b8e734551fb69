import { v7 as newId } from 'uuid'
import type { GrantActTable } from '../../../database/schema/products/approvals.ts'
import { ConstraintViolation, type Meta } from '../../../database/store.ts'
import type { Sender } from '../../../http/sender/sender.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, DAY_SECONDS } from '../../../rules/time.ts'
import { deleteNotifications } from '../../operations/notifications/statements.ts'
import * as store from './store.ts'

const ACTS_JOB = 'grant-acts'
const AT_ONCE = 500

/** What has not been written yet, by the store that it belongs to. */
const waitingOf = new WeakMap<Meta, Waiting>()

interface Waiting {
  readonly acts: GrantActTable[]
  /** One write at a time. */
  writing: Promise<void> | undefined
}

/**
 * Written soon afterwards, for many calls together: a write for each read of a program would cost more than the read.
 */
export function noteAct(
  { meta, background, now }: Platform,
  act: Pick<GrantActTable, 'grant_id' | 'path' | 'approval_id' | 'actor_id' | 'status'>,
  { address }: Sender,
): void {
  const waiting = waitingOf.get(meta) ?? { acts: [], writing: undefined }
  waitingOf.set(meta, waiting)
  waiting.acts.push({ id: newId(), ip: address, created_at: now(), ...act })
  if (waiting.acts.length === 1) background.wake(ACTS_JOB)
}

/** Done once every act that was noted before is written, also by another caller. */
export async function writeActs(platform: Pick<Platform, 'meta' | 'log' | 'keyValue'>): Promise<void> {
  const waiting = waitingOf.get(platform.meta)
  while (waiting && waiting.acts.length > 0) {
    waiting.writing ??= writeSome(platform, waiting.acts).finally(() => {
      waiting.writing = undefined
    })
    await waiting.writing
  }
}

async function writeSome(
  { meta, log, keyValue }: Parameters<typeof writeActs>[0],
  acts: GrantActTable[],
): Promise<void> {
  const some = acts.slice(0, AT_ONCE)
  const dropped = await store.insertActs(meta, some).catch(async (error: unknown) => {
    if (!(error instanceof ConstraintViolation)) throw error
    // A grant has been erased meanwhile, with its list.
    const each: Dropped[] = []
    for (const one of some)
      each.push(
        ...(await store.insertActs(meta, [one]).catch((cause: unknown) => {
          if (!(cause instanceof ConstraintViolation)) throw cause
          log.debug({ grant: one.grant_id }, 'an act of a grant that is gone')
          return []
        })),
      )
    return each
  })
  acts.splice(0, some.length)
  for (const [key, times] of Map.groupBy(dropped, droppedKey))
    await keyValue.increment(key, DAY_SECONDS, times.length)
}

type Dropped = Pick<GrantActTable, 'grant_id' | 'created_at'>

/** How many calls of a day the list has no room for. */
function droppedKey({ grant_id, created_at }: Dropped): string {
  return `grant-acts-dropped:${grant_id}:${created_at - (created_at % DAY_MILLISECONDS)}`
}

/** All of the day that began then, also those that are no longer listed. */
export async function callsSince(
  { meta, keyValue }: Pick<Platform, 'meta' | 'keyValue'>,
  grantId: string,
  dayStart: number,
): Promise<number> {
  const listed = await store.countActsSince(meta, grantId, dayStart)
  const dropped = await keyValue.get(droppedKey({ grant_id: grantId, created_at: dayStart }))
  return listed + Number(dropped?.value ?? 0)
}

/** What became of a call is kept for a day after it could be approved, and so is the notification about it. */
export function approvalJobs(platform: Platform): readonly Job[] {
  return [
    { name: ACTS_JOB, everySeconds: 60, gatherMilliseconds: 1_000, run: () => writeActs(platform) },
    {
      name: 'approvals-emptying',
      everySeconds: 60,
      run: () => store.emptyExpired(platform.meta, platform.now()),
    },
    {
      name: 'approvals-sweep',
      everySeconds: 3_600,
      run: () => forgetApprovals(platform.meta, platform.now() - DAY_MILLISECONDS),
    },
  ]
}

async function forgetApprovals(meta: Meta, before: number): Promise<void> {
  for (;;) {
    const ids = await store.approvalsBefore(meta, before, AT_ONCE)
    if (ids.length === 0) return
    const left = new Set(await deleteNotifications(meta, ids))
    await store.deleteApprovals(
      meta,
      ids.filter((id) => !left.has(id)),
    )
    if (ids.length < AT_ONCE || left.size > 0) return
  }
}
