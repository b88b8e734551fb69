import { unlessUnavailable } from '../../../database/store.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { tableKeyValue } from '../../../platform/key-value/table.ts'
import type { Platform } from '../../../platform/platform.ts'
import { CALLER_LIMITS, type CallerLimit } from '../../../rules/caller-limits.ts'
import { countOf, refuseUntil, rememberEnd, rememberedEnd } from './limits.ts'

/**
 * Counts one call, and refuses calls beyond the limit, with the time that is left. With a `KV_URL`, processes count
 * together; otherwise each counts most calls for itself, since a database write for each would cost more than it
 * prevents.
 */
export async function countCall({ platform, caller }: SignedInCall, name: CallerLimit): Promise<void> {
  const limit = CALLER_LIMITS[name]
  const most = limit.most * platform.config.userLimitFactor
  const seconds = limit.minutes * 60
  const key = `act:${name}:${'per' in limit ? caller.credential.id : caller.user.id}`
  const isTogether = platform.config.keyValueUrl !== undefined || 'counted' in limit
  if (isTogether) await countTogether(platform, `limit:${key}`, most, seconds)
  else countHere(platform, key, most, seconds)
}

async function countTogether(platform: Platform, key: string, most: number, seconds: number): Promise<void> {
  refuseUntil(platform, rememberedEnd(platform, key))
  const use = { key, add: 1, lifetimeSeconds: seconds }
  const { written } = await platform.keyValue.together([], [use]).catch((error: unknown) => {
    unlessUnavailable(error)
    // These limits slow down people who are signed in; what they write does not depend on the key-value store.
    return tableKeyValue(platform.meta, platform.now).together([], [use])
  })
  if (countOf(written[0]) > most) refuseUntil(platform, rememberEnd(platform, key, written[0]))
}

function countHere(platform: Platform, key: string, most: number, seconds: number): void {
  const { memory, now } = platform
  const started = memory.recall(`${key}:started`)
  const end = (started ?? Number.NEGATIVE_INFINITY) + seconds * 1000
  const isOver = end <= now()
  if (isOver) memory.remember(`${key}:started`, now())
  const uses = isOver ? 0 : (memory.recall(key) ?? 0)
  if (uses >= most) refuseUntil(platform, end)
  memory.remember(key, uses + 1)
}
