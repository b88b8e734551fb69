import type { ErasureTable } from '../../../database/schema/shards.ts'
import { StoreUnavailable } from '../../../database/store.ts'
import { allEnded, type Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, HOUR_SECONDS } from '../../../rules/time.ts'
import { decide } from '../../ground/acts/acts.ts'
import { getShard } from '../shards/shards.ts'
import { abandonMove, eraseRows } from './erasing.ts'
import * as store from './erasure-store.ts'

export const ERASURE_JOB = 'erasure'
const ERASURES_A_TURN = 100

export function erasureJob(platform: Platform): Job {
  return {
    name: ERASURE_JOB,
    everySeconds: 60,
    atStart: true,
    async run() {
      const open = await store.openErasures(platform.meta, ERASURES_A_TURN)
      const ofEachShard = Map.groupBy(open, ({ shard_id }) => shard_id)
      await allEnded([...ofEachShard.values()].map((erasures) => eraseInTurn(platform, erasures)))
    },
  }
}

const KEPT_MILLISECONDS = 30 * DAY_MILLISECONDS
const SWEPT_AT_ONCE = 10_000

/** The audit log still has each deletion. */
export function erasureSweep({ meta, now }: Platform): Job {
  return {
    name: 'erasure-sweep',
    everySeconds: HOUR_SECONDS,
    run: () => store.deleteErased(meta, now() - KEPT_MILLISECONDS, SWEPT_AT_ONCE),
  }
}

/**
 * Erases in one shard. If it does not respond, its other erasures wait for the next run behind those of other shards,
 * and the one that was tried comes last: the shard may fail for that one only.
 */
async function eraseInTurn(platform: Platform, erasures: readonly ErasureTable[]): Promise<void> {
  for (const [i, erasure] of erasures.entries()) {
    if (platform.ending.aborted) return
    const outcome = await eraseOrLog(platform, erasure)
    if (outcome !== 'ended') await retryLater(platform, [erasure])
    if (outcome === 'away') return retryLater(platform, erasures.slice(i))
  }
}

async function eraseOrLog(platform: Platform, erasure: ErasureTable): Promise<'ended' | 'failed' | 'away'> {
  try {
    if (await eraseEverywhere(platform, erasure)) await recordDone(platform, erasure)
    return 'ended'
  } catch (error) {
    const isAway = error instanceof StoreUnavailable
    // The fault of a store has its own line, however many erasures wait for it.
    platform.log[isAway ? 'debug' : 'error']({ error, erasure: erasure.id }, 'an erasure is delayed')
    return isAway && error.store === erasure.shard_id ? 'away' : 'failed'
  }
}

/** A move that the deletion interrupted has rows in a second shard. False if this process stops before it is done. */
async function eraseEverywhere(platform: Platform, { shard_id, user_id }: ErasureTable): Promise<boolean> {
  const home = getShard(platform, shard_id)
  return (await eraseRows(platform, home, { userId: user_id, attempt: 0 })) && (await abandonMove(platform, user_id))
}

function retryLater({ meta }: Platform, erasures: readonly ErasureTable[]): Promise<void> {
  return store.countAttempts(
    meta,
    erasures.map(({ id }) => id),
  )
}

async function recordDone(platform: Platform, { id, user_id, shard_id }: ErasureTable): Promise<void> {
  const { meta, now } = platform
  await decide({ platform }, [store.lockedErasure(meta, id)], async (act, [open]) => {
    // Another process can finish the same erasure.
    if (!open) return
    act.write(store.markErased(meta, id, now()))
    const details = { erasure: id, shard: shard_id }
    act.record('user.erased', { subject: { type: 'user', id: user_id }, details, id })
  })
}
