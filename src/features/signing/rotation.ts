import type { SigningAlgorithm } from '../../database/schema/products/signing.ts'
import type { Job } from '../../platform/background.ts'
import type { Platform } from '../../platform/platform.ts'
import { DAY_MILLISECONDS, HOUR_SECONDS, MINUTE_MILLISECONDS } from '../../rules/time.ts'
import { ensureKeys, makeKey, SIGNING_ALGORITHMS } from './keys.ts'
import { longestTokenSeconds } from './signing.ts'
import * as store from './store.ts'

const SIGNS_MILLISECONDS = 90 * DAY_MILLISECONDS
/** So that verifiers that fetch the keys once a day have each key before it signs. */
const PUBLISHED_BEFORE_MILLISECONDS = DAY_MILLISECONDS
/** Other machines' clocks can differ. */
const CLOCK_SKEW_MILLISECONDS = 5 * MINUTE_MILLISECONDS

export function signingKeysJob(platform: Platform): Job {
  return {
    name: 'signing-keys',
    everySeconds: HOUR_SECONDS,
    atStart: true,
    async run() {
      await ensureKeys(platform)
      for (const algorithm of SIGNING_ALGORITHMS) await announceSuccessor(platform, algorithm)
      const keptMilliseconds = longestTokenSeconds * 1000 + CLOCK_SKEW_MILLISECONDS
      await store.deleteKeysReplacedBefore(platform.meta, platform.now() - keptMilliseconds)
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
