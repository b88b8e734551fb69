import type { Config } from '../../../../../config/config.ts'
import type { Exchange } from '../../../../../http/exchange.ts'
import { Refusal } from '../../../../../rules/refusal.ts'

/**
 * The address the browser goes to afterwards: a path of our own, or a full address at our own or a trusted origin.
 * Returned as a browser would parse it, and for our own origin only the path, so there is nothing left to misread.
 */
export function returnAddress(config: Config, exchange: Exchange, name: string, text: string): string {
  const address = ownPath(ownOrigins(config, exchange), text) ?? trustedAddress(config.trustedOrigins, text)
  if (address !== undefined) return address
  const message = 'This must be a path of this site, or an address of a trusted one.'
  throw new Refusal('INVALID_REQUEST', `${name}: ${message}`, { issues: [{ path: name, message }] })
}

function ownPath(origins: readonly string[], text: string): string | undefined {
  const address = addressWithin(origins, text)
  return address && address.pathname + address.search + address.hash
}

function trustedAddress(origins: readonly string[], text: string): string | undefined {
  return text.startsWith('/') ? undefined : addressWithin(origins, text)?.href
}

function addressWithin(origins: readonly string[], text: string): URL | undefined {
  if (/[\s\p{Cc}\\]/u.test(text) || text.length > LONGEST) return undefined
  const isPath = text.startsWith('/') && !text.startsWith('//')
  const isFull = origins.some((origin) => text === origin || text.startsWith(`${origin}/`))
  const address = isPath || isFull ? URL.parse(text, origins[0]) : null
  if (!address || !origins.includes(address.origin) || address.username || address.password) return undefined
  // `/..//evil.example` is a path here and another host in a Location header.
  return address.pathname.startsWith('//') ? undefined : address
}

const LONGEST = 2_048

function ownOrigins(config: Config, exchange: Exchange): readonly string[] {
  const { protocol } = new URL(config.baseUrl)
  const requested = URL.parse(`${protocol}//${exchange.header('host') ?? ''}`)?.origin
  return requested === undefined ? [config.baseUrl] : [config.baseUrl, requested]
}

/** Adds an error to a path of our own, or to an address at a trusted origin. */
export function withError(place: string, code: string, description?: string): string {
  const address = new URL(place, 'http://own.invalid')
  address.searchParams.set('error', code)
  if (description !== undefined) address.searchParams.set('error_description', description)
  return place.startsWith('/') ? address.pathname + address.search + address.hash : address.href
}
