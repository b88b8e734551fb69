import type { Config } from '../../../config/config.ts'
import type { Exchange } from '../../../http/exchange.ts'
import { Refusal } from '../../../rules/refusal.ts'

/**
 * Where the browser goes afterwards: a path of our own, or a full address of our own origin.
 * Answers the path alone, as the browser would read it, so that nothing is left to interpret.
 */
export function returnPath(config: Config, exchange: Exchange, name: string, text: string): string {
  const path = ownPath(ownOrigins(config, exchange), text)
  if (path !== undefined) return path
  const message = 'This must be a path of this site.'
  throw new Refusal('INVALID_REQUEST', `${name}: ${message}`, { issues: [{ path: name, message }] })
}

export function ownPath(origins: readonly string[], text: string): string | undefined {
  if (/[\s\p{Cc}\\]/u.test(text) || text.length > LONGEST) return undefined
  const isPath = text.startsWith('/') && !text.startsWith('//')
  const isFull = origins.some((origin) => text === origin || text.startsWith(`${origin}/`))
  const address = isPath || isFull ? URL.parse(text, origins[0]) : null
  if (!address || !origins.includes(address.origin) || address.username || address.password) return undefined
  // `/..//evil.example` is a path here and another host in a Location header.
  return address.pathname.startsWith('//') ? undefined : address.pathname + address.search + address.hash
}

const LONGEST = 2_048

function ownOrigins(config: Config, exchange: Exchange): readonly string[] {
  const { protocol } = new URL(config.baseUrl)
  const requested = URL.parse(`${protocol}//${exchange.header('host') ?? ''}`)?.origin
  return requested === undefined ? [config.baseUrl] : [config.baseUrl, requested]
}

export function withError(path: string, code: string): string {
  const address = new URL(path, 'http://own.invalid')
  address.searchParams.set('error', code)
  return address.pathname + address.search + address.hash
}
