import type { Platform } from '../../../platform/platform.ts'
import { fetchPublic } from '../../../platform/public-fetch.ts'
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'

export interface Picture {
  readonly type: string
  readonly bytes: Buffer
}

interface Kept {
  readonly picture: Promise<Picture | undefined>
  readonly until: number
}

const MOST_KEPT = 50
const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml']
const LIMITS = { bytes: 200 * 1024, seconds: 5, accept: TYPES.join(', ') }

/**
 * Applications' logos, fetched by this service in place of the browsers, so that nobody who looks at one is seen by its
 * server. The addresses follow the rules of webhooks.
 */
export class Logos {
  readonly #platform: Pick<Platform, 'config' | 'now' | 'ending'>
  readonly #kept = new Map<string, Kept>()

  constructor(platform: Pick<Platform, 'config' | 'now' | 'ending'>) {
    this.#platform = platform
  }

  /** Undefined if the address has no picture. Cached for an hour; that there is none, for a minute. */
  get(address: string): Promise<Picture | undefined> {
    const kept = this.#kept.get(address)
    if (kept && kept.until > this.#platform.now()) return kept.picture
    this.#kept.delete(address)
    const picture = this.#fetch(new URL(address)).catch(() => undefined)
    this.#keep(address, picture, MINUTE_MILLISECONDS)
    void picture.then((found) => found && this.#keep(address, picture, HOUR_MILLISECONDS))
    return picture
  }

  #keep(address: string, picture: Promise<Picture | undefined>, milliseconds: number): void {
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(address, { picture, until: this.#platform.now() + milliseconds })
  }

  async #fetch(url: URL): Promise<Picture | undefined> {
    const { status, headers, bytes } = await fetchPublic(this.#platform, url, LIMITS)
    const type = TYPES.find((known) => headers['content-type']?.toLowerCase().startsWith(known))
    return status === 200 && type !== undefined ? { type, bytes } : undefined
  }
}
