import { findKept, replaceKept } from '../../../database/instance.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, HOUR_SECONDS } from '../../../rules/time.ts'
import { grantUsesOf } from '../../access/grants/statements.ts'
import { readSettings } from '../../ground/settings/current-settings.ts'
import { sessionUsesOf } from '../sessions/statements.ts'
import { noteUse, unverifiedUsers } from '../users/statements.ts'
import { eraseUnverified } from './deletion.ts'
import { isUnproven, isWorthNoting, lastUse } from './last-use.ts'

const USERS_AT_ONCE = 500
const LOOKED_AT = 'unverified-looked-at'
/** The job runs every hour, so that two looks are never more than a day apart. */
const REST_MILLISECONDS = 20 * HOUR_MILLISECONDS

/**
 * Deletes accounts that never proved an address and are no longer used, if the settings say so. Sessions and grants end
 * earlier than that, so each look notes when they were last used.
 */
export function unverifiedAccountsJob(platform: Platform): Job {
  const { meta, now } = platform
  return {
    name: 'unverified-accounts',
    everySeconds: HOUR_SECONDS,
    atStart: true,
    async run() {
      const rested = now() - Number((await findKept(meta.primary, LOOKED_AT)) ?? 0)
      // A clock that was ahead for a while has left a time to come, which says nothing.
      if (rested >= 0 && rested < REST_MILLISECONDS) return
      const { authentication } = await readSettings(meta)
      const { unverified_account_days: days } = authentication
      let last: string | undefined = ''
      while (last !== undefined) last = await lookAtSome(platform, last, days)
      await replaceKept(meta, LOOKED_AT, String(now())).execute()
    },
  }
}

/** Returns the last id if there are more users. */
async function lookAtSome(platform: Platform, afterId: string, days: number): Promise<string | undefined> {
  const { meta, now } = platform
  const users = await unverifiedUsers(meta, afterId, USERS_AT_ONCE).execute()
  if (users.length === 0) return undefined
  const ids = users.map(({ id }) => id)
  const [sessions, grants] = await meta.snapshot([sessionUsesOf(meta, ids), grantUsesOf(meta, ids)], 'primary')
  const uses = Map.groupBy([...sessions, ...grants], ({ user_id }) => user_id)
  const unusedSince = days === 0 ? Number.NEGATIVE_INFINITY : now() - days * DAY_MILLISECONDS
  for (const user of users.filter(isUnproven)) {
    const usedAt = lastUse(user, uses.get(user.id) ?? [], now())
    if (usedAt <= unusedSince) await eraseUnverified(platform, user.id, unusedSince)
    else if (isWorthNoting(user, usedAt)) await noteUse(meta, user.id, usedAt).execute()
  }
  return users.length < USERS_AT_ONCE ? undefined : ids.at(-1)
}
