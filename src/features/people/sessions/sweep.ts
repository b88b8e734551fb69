import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, HOUR_SECONDS } from '../../../rules/time.ts'
import { endIfExpired } from './ending.ts'
import * as store from './store.ts'

const ENDED_AT_ONCE = 100
/** As long as a browser is known. */
const KNOWN_FOR_MILLISECONDS = 400 * DAY_MILLISECONDS

export function sessionSweep(platform: Platform): Job {
  return {
    name: 'session-sweep',
    everySeconds: HOUR_SECONDS,
    async run() {
      while ((await endExpired(platform)) === ENDED_AT_ONCE);
      await store.deleteExpired(platform.meta, platform.now())
      await store.deleteOldNetworks(platform.meta, platform.now() - KNOWN_FOR_MILLISECONDS)
    },
  }
}

async function endExpired(platform: Platform): Promise<number> {
  const { meta, now } = platform
  const expired = await store.expiredSessions(meta, now(), ENDED_AT_ONCE)
  await Promise.all(expired.map(({ id }) => endIfExpired(platform, id)))
  return expired.length
}
