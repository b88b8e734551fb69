import type { Platform } from '../../../platform/platform.ts'
import { fetchPublic } from '../../../platform/public-fetch.ts'
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'

interface Picture {
  readonly type: string
  readonly bytes: Buffer
}

interface Kept {
  readonly picture: Promise<Picture | undefined>
  readonly until: number
}

const MOST_KEPT = 50
const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml']
const LIMITS = { kind: 'logo', bytes: 200 * 1024, seconds: 5, accept: TYPES.join(', ') } as const

type Needed = Pick<Platform, 'config' | 'names' | 'now' | 'ending'>

const keptBy = new WeakMap<Needed, Map<string, Kept>>()

/**
 * An application's logo. This service fetches it, so the logo's server learns nothing about who looks at it. The same
 * addresses are allowed as for webhooks. Undefined if there is no picture. Cached for an hour, a failure for a minute.
 */
export function logoAt(platform: Needed, address: string): Promise<Picture | undefined> {
  const { now } = platform
  const all = keptBy.get(platform) ?? new Map<string, Kept>()
  keptBy.set(platform, all)
  const kept = all.get(address)
  if (kept && kept.until > now()) return kept.picture
  all.delete(address)
  const picture = fetched(platform, new URL(address)).catch(() => undefined)
  const keep = (milliseconds: number) => {
    const [oldest] = all.keys()
    if (all.size >= MOST_KEPT && oldest !== undefined) all.delete(oldest)
    all.set(address, { picture, until: now() + milliseconds })
  }
  keep(MINUTE_MILLISECONDS)
  void picture.then((found) => found && keep(HOUR_MILLISECONDS))
  return picture
}

async function fetched(platform: Needed, url: URL): Promise<Picture | undefined> {
  const { status, headers, bytes } = await fetchPublic(platform, url, LIMITS)
  const type = TYPES.find((known) => headers['content-type']?.toLowerCase().startsWith(known))
  return status === 200 && type !== undefined ? { type, bytes } : undefined
}
