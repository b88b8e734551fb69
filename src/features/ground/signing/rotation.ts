import type { SigningAlgorithm } from '../../../database/schema/products/signing.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, HOUR_SECONDS } from '../../../rules/time.ts'
import { decide, recordAct } from '../acts/acts.ts'
import { ensureKeys, makeKey, newKey, publishedMilliseconds, SIGNING_ALGORITHMS } from './keys.ts'
import * as store from './store.ts'

const SIGNS_MILLISECONDS = 90 * DAY_MILLISECONDS
/** Verifiers that fetch the keys once a day must have each key before it signs. */
const PUBLISHED_BEFORE_MILLISECONDS = DAY_MILLISECONDS
/** The time an application can keep an `id_token` that it sends as a hint. */
const HINTS_MILLISECONDS = 400 * DAY_MILLISECONDS

export function signingKeysJob(platform: Platform): Job {
  return {
    name: 'signing-keys',
    everySeconds: HOUR_SECONDS,
    atStart: true,
    async run() {
      await ensureKeys(platform)
      for (const algorithm of SIGNING_ALGORITHMS) await announceSuccessor(platform, algorithm)
      const { meta, now } = platform
      await store.forgetPrivateKeysReplacedBefore(meta, now() - publishedMilliseconds)
      await store.deleteKeysReplacedBefore(meta, now() - HINTS_MILLISECONDS)
    },
  }
}

/** If the rotation is late, after a long stop, the old key signs until the new one has been published for a day. */
async function announceSuccessor(platform: Platform, algorithm: SigningAlgorithm): Promise<void> {
  const soonest = platform.now() + PUBLISHED_BEFORE_MILLISECONDS
  const newest = (await store.allKeys(platform.meta)).findLast((key) => key.algorithm === algorithm)
  if (!newest || newest.signs_from + SIGNS_MILLISECONDS > soonest) return
  await makeKey(platform, algorithm, newest.generation + 1, soonest)
}

/**
 * The operator runs this on the host beside serving processes, which read the key for each token. A successor that is
 * already published takes over.
 */
export async function rotateSigningKeys(platform: Platform, from: 'in a day' | 'now'): Promise<void> {
  if (from === 'now') return withdrawKeys(platform)
  const { meta, now } = platform
  for (const algorithm of SIGNING_ALGORITHMS) {
    const newest = (await store.allKeys(meta)).findLast((key) => key.algorithm === algorithm)
    if (newest && newest.signs_from > now()) continue
    const signsFrom = newest ? now() + PUBLISHED_BEFORE_MILLISECONDS : now()
    await makeKey(platform, algorithm, (newest?.generation ?? 0) + 1, signsFrom)
  }
  await recordAct({ platform }, 'signing_keys.rotate', { details: { from: 'host' } })
}

/** Deletes the former keys, which makes everything signed with them invalid. */
async function withdrawKeys(platform: Platform): Promise<void> {
  const { meta } = platform
  const made = await Promise.all(SIGNING_ALGORITHMS.map((algorithm) => newKey(platform, algorithm)))
  const locked = made.map(({ algorithm }) => store.lockedKeys(meta, algorithm))
  await decide({ platform }, locked, async (act, ...known) => {
    for (const [i, key] of made.entries()) {
      const generation = (known[i]?.at(-1)?.generation ?? 0) + 1
      act.write(
        store.deleteKeys(meta, key.algorithm),
        store.insertKeyRow(meta, { ...key, generation, signs_from: key.created_at }),
      )
    }
    act.record('signing_keys.withdraw', { details: { from: 'host' } })
  })
}
