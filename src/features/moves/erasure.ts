import type { ErasureTable } from '../../database/schema/shards.ts'
import { StoreUnavailable } from '../../database/store.ts'
import type { Job } from '../../platform/background.ts'
import type { Platform } from '../../platform/platform.ts'
import { auditEntry } from '../audit/audit.ts'
import { closeResident } from '../shards/residents.ts'
import { getShard } from '../shards/shards.ts'
import * as store from './erasure-store.ts'
import { eraseSome } from './shard-rows.ts'

export const ERASURE_JOB = 'erasure'
const ERASURES_A_TURN = 100

export function erasureJob(platform: Platform): Job {
  return {
    name: ERASURE_JOB,
    everySeconds: 60,
    atStart: true,
    async run() {
      for (const erasure of await store.openErasures(platform.meta, ERASURES_A_TURN)) {
        if (platform.ending.aborted) return
        await eraseOrRetryLater(platform, erasure)
      }
    },
  }
}

async function eraseOrRetryLater(platform: Platform, erasure: ErasureTable): Promise<void> {
  try {
    if (await eraseFromShard(platform, erasure)) await recordDone(platform, erasure)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    platform.log.warn({ error, erasure: erasure.id }, 'an erasure is waiting for its shard')
    await store.noteAttempt(platform.meta, erasure.id)
  }
}

/** Continues an interrupted erasure. False if this process stops before it is done. */
async function eraseFromShard(platform: Platform, { shard_id, user_id }: ErasureTable): Promise<boolean> {
  const shard = getShard(platform, shard_id)
  for (;;) {
    const isMore = await eraseSome(shard, user_id, (statements) =>
      shard.batch([closeResident(shard, user_id, 'gone'), ...statements]),
    )
    if (!isMore) return true
    if (platform.ending.aborted) return false
  }
}

async function recordDone(platform: Platform, { id, user_id, shard_id }: ErasureTable): Promise<void> {
  const act = {
    action: 'user.erased',
    subject: { type: 'user', id: user_id },
    details: { erasure: id, shard: shard_id },
  }
  const nobody = { id: null, address: null }
  await platform.meta.batch([
    store.markErased(platform.meta, id, platform.now()),
    // If two processes finish the same erasure, the entry's id leaves one line.
    auditEntry(platform, nobody, act, id).onConflict((conflict) => conflict.column('id').doNothing()),
  ])
}
