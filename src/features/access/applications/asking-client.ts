import type { Exchange } from '../../../http/exchange.ts'

const REQUESTS = ['/oauth/authorize', '/oauth/consent']

/** The client of the authorization request that a page is about, or that it leads back to in `next`. */
export function askingClientOf(exchange: Exchange): string | undefined {
  // A path such as `//` cannot be parsed as an address.
  return clientIn('http://pages.invalid', exchange.path, new URLSearchParams(exchange.query()))
}

/** The same, of the page at this address. */
export function askingClientIn(address: string): string | undefined {
  const page = URL.parse(address)
  return page ? clientIn(page.origin, page.pathname, page.searchParams) : undefined
}

function clientIn(origin: string, path: string, query: URLSearchParams): string | undefined {
  if (REQUESTS.includes(path)) return query.get('client_id') ?? undefined
  const next = URL.parse(query.get('next') ?? '', origin)
  const leadsBack = next?.origin === origin && REQUESTS.includes(next.pathname)
  return leadsBack ? (next.searchParams.get('client_id') ?? undefined) : undefined
}
