import type { Connection } from './connection.ts'
import type { TokenSource } from './requests.ts'

/** Set by the build: the hash of the part with the elements. */
declare const VERSION: string

const LONGEST_WAIT_MILLISECONDS = 5_000
const FIRST_RETRY_MILLISECONDS = 2_000
const LONGEST_RETRY_MILLISECONDS = 60_000

// Taken before a page can replace them.
const own = {
  fetch: globalThis.fetch.bind(globalThis),
  parse: JSON.parse,
  stringify: JSON.stringify,
  registry: customElements,
  load,
}

export type Own = typeof own

const later = begin()

/** The elements come once the page is there, so that it is painted as early as without them. */
async function begin() {
  await whenLoaded()
  const elements = await load<typeof import('./elements.ts')>(`?v=${VERSION}`)
  elements.begin(own)
  return elements
}

/** Resolves when the page has loaded, or has taken too long. */
function whenLoaded(): Promise<unknown> {
  return new Promise((resolve) => {
    if (document.readyState === 'complete') resolve(undefined)
    addEventListener('load', resolve)
    setTimeout(resolve, LONGEST_WAIT_MILLISECONDS)
  })
}

/** A part of the script, named by a query. */
async function load<Part>(query: string): Promise<Part> {
  // A browser can remember that an address has failed.
  const address = new URL(query, import.meta.url)
  for (let wait = FIRST_RETRY_MILLISECONDS; ; wait = Math.min(wait * 2, LONGEST_RETRY_MILLISECONDS)) {
    try {
      return await import(address.href)
    } catch {
      await new Promise((resolve) => setTimeout(resolve, wait))
      address.searchParams.set('after', String(wait))
    }
  }
}

/** Used by `gatehouse/react`, which shares it with the elements. */
export async function connect(server: string, token: TokenSource | undefined): Promise<Connection> {
  return (await later).connect(server, token)
}
