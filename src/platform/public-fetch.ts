import * as http from 'node:http'
import * as https from 'node:https'
import type { Asker } from './names/look-ups.ts'
import type { Platform } from './platform.ts'
import { addressesOutside } from './public-addresses.ts'

export interface Fetched {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly bytes: Buffer
}

class FetchFailed extends Error {
  override readonly name = 'FetchFailed'
}

interface Limits {
  readonly kind: 'client document' | 'logo'
  readonly bytes: number
  readonly seconds: number
  readonly accept: string
}

/** Reads a small file of somebody else's: from no private network, following no redirect, in a bounded time. */
export async function fetchPublic(
  { config, names, ending }: Pick<Platform, 'config' | 'names' | 'ending'>,
  url: URL,
  limits: Limits,
  asker?: Asker,
): Promise<Fetched> {
  const addresses = addressesOutside(config.webhookNetworks)
  addresses.refuseKnown(url)
  const { request } = url.protocol === 'https:' ? https : http
  const { promise, resolve, reject } = Promise.withResolvers<Fetched>()
  const limit = AbortSignal.timeout(limits.seconds * 1_000)
  const signal = AbortSignal.any([ending, limit, ...(asker ? [asker.signal] : [])])
  const call = request(url, {
    lookup: addresses.lookupFor(url.protocol, (name) => names.addresses(limits.kind, name, { ...asker, signal })),
    signal,
    headers: { accept: limits.accept, 'user-agent': 'Gatehouse/1' },
    agent: false,
  })
  call.on('response', (response) => {
    readAtMost(response, limits.bytes).then(
      (file) => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: file }),
      reject,
    )
  })
  call.on('error', reject)
  // A switch to another protocol is neither a response nor an error.
  call.on('upgrade', () => reject(new FetchFailed('The server switched to another protocol.')))
  call.end()
  return promise.finally(() => call.destroy())
}

async function readAtMost(response: http.IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > most) throw new FetchFailed(`The response has more than ${most / 1024} KiB.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
