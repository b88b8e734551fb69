import { v7 as newId } from 'uuid'
import type { GrantActTable } from '../../../database/schema/products/approvals.ts'
import { ConstraintViolation, type Meta } from '../../../database/store.ts'
import type { Client } from '../../../http/client/client.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
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
  { address }: Client,
): void {
  const waiting = waitingOf.get(meta) ?? { acts: [], writing: undefined }
  waitingOf.set(meta, waiting)
  waiting.acts.push({ id: newId(), ip: address, created_at: now(), ...act })
  if (waiting.acts.length === 1) background.wake(ACTS_JOB)
}

/** Done once every act that was noted before is written, also by another caller. */
export async function writeActs({ meta, log }: Pick<Platform, 'meta' | 'log'>): Promise<void> {
  const waiting = waitingOf.get(meta)
  while (waiting && waiting.acts.length > 0) {
    waiting.writing ??= writeSome(meta, log, waiting.acts).finally(() => {
      waiting.writing = undefined
    })
    await waiting.writing
  }
}

async function writeSome(meta: Meta, log: Platform['log'], acts: GrantActTable[]): Promise<void> {
  const some = acts.slice(0, AT_ONCE)
  await store.insertActs(meta, some).catch(async (error: unknown) => {
    if (!(error instanceof ConstraintViolation)) throw error
    // A grant has been erased meanwhile, with its list.
    for (const one of some)
      await store.insertActs(meta, [one]).catch((cause: unknown) => {
        if (!(cause instanceof ConstraintViolation)) throw cause
        log.debug({ grant: one.grant_id }, 'an act of a grant that is gone')
      })
  })
  acts.splice(0, some.length)
}

/** A result is kept for a day after the call could be approved. */
export function approvalJobs(platform: Platform): readonly Job[] {
  return [
    { name: ACTS_JOB, everySeconds: 60, gatherMilliseconds: 1_000, run: () => writeActs(platform) },
    {
      name: 'approvals-sweep',
      everySeconds: 3_600,
      run: () => store.deleteApprovalsBefore(platform.meta, platform.now() - DAY_MILLISECONDS),
    },
  ]
}
