import * as http from 'node:http'
import * as https from 'node:https'
import type { Platform } from '../../../platform/platform.ts'
import { type Addresses, addressesOutside } from '../../../platform/public-addresses.ts'
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'

export interface Picture {
  readonly type: string
  readonly bytes: Buffer
}

interface Kept {
  readonly picture: Promise<Picture | undefined>
  readonly until: number
}

const MOST_BYTES = 200 * 1024
const MOST_KEPT = 50
const PATIENCE_MILLISECONDS = 5_000
const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml']

/**
 * Applications' logos, fetched by this service in place of the browsers, so that nobody who looks at one is seen by its
 * server. The addresses follow the rules of webhooks.
 */
export class Logos {
  readonly #platform: Pick<Platform, 'now' | 'ending'>
  readonly #addresses: Addresses
  readonly #kept = new Map<string, Kept>()

  constructor(platform: Pick<Platform, 'config' | 'now' | 'ending'>) {
    this.#platform = platform
    this.#addresses = addressesOutside(platform.config.webhookNetworks)
  }

  /** Undefined if there is no picture at the address. Kept for an hour, or if there is none, for a minute. */
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
    this.#addresses.refuseKnown(url)
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
    const { request } = url.protocol === 'https:' ? https : http
    const options = {
      lookup: this.#addresses.lookupFor(url.protocol),
      signal: AbortSignal.any([this.#platform.ending, AbortSignal.timeout(PATIENCE_MILLISECONDS)]),
      agent: false as const,
      headers: { accept: TYPES.join(', ') },
    }
    request(url, options, resolve).on('error', reject).end()
    return pictureIn(await promise)
  }
}

async function pictureIn(response: http.IncomingMessage): Promise<Picture | undefined> {
  const type = TYPES.find((known) => response.headers['content-type']?.toLowerCase().startsWith(known))
  if (response.statusCode !== 200 || type === undefined) {
    response.destroy()
    return undefined
  }
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop destroys the response.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength
    if (bytes > MOST_BYTES) return undefined
    chunks.push(chunk)
  }
  return { type, bytes: Buffer.concat(chunks) }
}
