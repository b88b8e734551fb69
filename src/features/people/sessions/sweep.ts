import { type SqlBool, sql } from 'kysely'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, HOUR_SECONDS } from '../../../rules/time.ts'
import { endWhere } from './sessions.ts'
import * as store from './store.ts'

const ENDED_AT_ONCE = 100
/** The same time for which a browser is known. */
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

/** Each in its own batch: a sweep that locked many rows could deadlock with a user's deletion. */
async function endExpired(platform: Platform): Promise<number> {
  const { meta, now } = platform
  const expired = await store.expiredSessions(meta, now(), ENDED_AT_ONCE)
  const stillExpired = (id: string) => sql<SqlBool>`session.id = ${id} and session.expires_at <= ${now()}`
  await Promise.all(expired.map(({ id }) => meta.batch(endWhere(platform, stillExpired(id), 'expired'))))
  return expired.length
}
