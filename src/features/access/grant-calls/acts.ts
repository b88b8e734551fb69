import type { GrantActTable } from '../../../database/schema/products/approvals.ts'
import { ConstraintViolation } from '../../../database/store.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { newId } from '../../../rules/ids.ts'
import { DAY_SECONDS } from '../../../rules/time.ts'
import {
  ACTS_JOB,
  addUnlisted,
  callsKey,
  dayStart,
  type NotedAct,
  type Unwritten,
  unlistedKey,
  waitingFor,
} from './admission.ts'
import * as store from './store.ts'

const AT_ONCE = 500

type ActStores = Pick<Platform, 'meta' | 'log' | 'keyValue'>

export function grantActsJob(platform: Platform): Job {
  const run = async () => {
    const waiting = waitingFor(platform.meta)
    // Also those noted meanwhile: a process that stops has no other turn.
    while (waiting.written < waiting.noted) await writeActs(platform)
  }
  return { name: ACTS_JOB, everySeconds: 60, gatherMilliseconds: 1_000, run }
}

/**
 * Returns once every act noted before is written, even if another caller writes it. It does not wait for those noted
 * meanwhile, which may never end.
 */
export async function writeActs(platform: ActStores): Promise<void> {
  const waiting = waitingFor(platform.meta)
  const { noted } = waiting
  while (waiting.written < noted) {
    waiting.writing ??= writeSome(platform, waiting).finally(() => {
      waiting.writing = undefined
    })
    await waiting.writing
  }
}

async function writeSome(platform: ActStores, waiting: Unwritten): Promise<void> {
  const { acts, unlisted } = waiting
  if (waiting.ordered.length === 0) {
    waiting.ordered = inOrder(acts.splice(0))
    waiting.taken = waiting.noted
  }
  const some = waiting.ordered.slice(0, AT_ONCE)
  const dropped = some.length > 0 ? await inserted(platform, some) : []
  waiting.ordered.splice(0, some.length)
  for (const act of dropped) addUnlisted(waiting, act)
  for (const [key, calls] of [...unlisted]) {
    await platform.keyValue.increment(key, DAY_SECONDS, calls)
    const more = (unlisted.get(key) ?? 0) - calls
    if (more > 0) unlisted.set(key, more)
    else unlisted.delete(key)
  }
  if (waiting.ordered.length === 0) waiting.written = waiting.taken
}

/**
 * Those of a grant stand together, and get their ids in this order: a commit then changes the ends of few lists instead of
 * five hundred, and the end of the primary key.
 */
function inOrder(acts: readonly NotedAct[]): GrantActTable[] {
  const byGrant = [...Map.groupBy(acts, ({ grant_id }) => grant_id)]
  const ordered = byGrant.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return ordered.flatMap(([, ofGrant]) => ofGrant.map((act) => ({ id: newId(), ...act })))
}

/** Returns the acts that the lists have dropped in exchange. */
async function inserted({ meta, log }: ActStores, acts: readonly GrantActTable[]) {
  try {
    return await store.insertActs(meta, acts)
  } catch (error) {
    if (!(error instanceof ConstraintViolation)) throw error
  }
  // A grant has been erased meanwhile, with its list.
  const dropped: Awaited<ReturnType<typeof store.insertActs>>[number][] = []
  for (const one of acts) {
    try {
      dropped.push(...(await store.insertActs(meta, [one])))
    } catch (error) {
      if (!(error instanceof ConstraintViolation)) throw error
      log.debug({ grant: one.grant_id }, 'an act of a grant that no longer exists')
    }
  }
  return dropped
}

/** Counts the calls made earlier today when a limit is set. */
export async function beginCount(platform: Platform, grantId: string): Promise<void> {
  const { meta, keyValue, now } = platform
  await writeActs(platform)
  const day = dayStart(now())
  const listed = await store.countActsSince(meta, grantId, day)
  const unlisted = await keyValue.get(unlistedKey(grantId, day))
  const calls = listed + Number(unlisted?.value ?? 0)
  const key = callsKey(grantId, now())
  await keyValue.delete(key)
  if (calls > 0) await keyValue.increment(key, DAY_SECONDS, calls)
}
