import { v7 as newId } from 'uuid'
import type { ErasureTable } from '../../database/schema.ts'
import { StoreUnavailable } from '../../database/store.ts'
import type { Job } from '../../platform/background.ts'
import type { Platform } from '../../platform/platform.ts'
import { Refusal } from '../../rules/refusal.ts'
import { type Actor, auditEntry } from '../audit/audit.ts'
import { eraseSome } from '../moves/erasing.ts'
import { closeResident } from '../shards/residents.ts'
import { getShard } from '../shards/shards.ts'
import * as store from './store.ts'
import { unknownUser } from './users.ts'

const JOB = 'erasure'
const ERASURES_A_TURN = 100

/**
 * Gone from the global store at once, sessions and grants with it. The shard's rows follow in the
 * background, until they are gone.
 */
export async function eraseUser(platform: Platform, userId: string, actor: Actor): Promise<void> {
  const { meta, now } = platform
  const user = await store.withShard(meta, userId)
  if (!user) throw unknownUser()
  if (user.role === 'administrator') {
    throw new Refusal('FORBIDDEN', 'The administrator cannot be deleted.')
  }
  const erasure = { id: newId(), requestedBy: actor.id ?? userId, createdAt: now() }
  await meta.batch([
    store.lockAssignment(meta, userId),
    store.insertErasure(meta, userId, erasure),
    ...store.deleteUser(meta, userId),
    auditEntry(platform, actor, {
      action: 'user.delete',
      subject: { type: 'user', id: userId },
      details: { erasure: erasure.id },
    }),
  ])
  platform.background.wake(JOB)
}

export function erasureJob(platform: Platform): Job {
  return {
    name: JOB,
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
    platform.log.warn({ error, erasure: erasure.id }, 'an erasure has to wait for its shard')
    await store.noteAttempt(platform.meta, erasure.id)
  }
}

/** Goes on where it was stopped; false where this process ends before it is done. */
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
    // Of two processes that end the same erasure, the entry's id lets one line stand.
    auditEntry(platform, nobody, act, id).onConflict((conflict) => conflict.column('id').doNothing()),
  ])
}
