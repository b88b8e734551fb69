import { ownCookie } from '../../../../http/answers/own-cookie.ts'
import type { Call } from '../../../../http/route.ts'
import type { BeginAuthorization } from '../input.ts'
import { requestLifetimeSeconds } from '../lifetimes.ts'

/**
 * Holds the time at which this browser first came with a request that requires a new sign-in. A signed-out user comes
 * back with the same request after signing in for it, and is not asked twice.
 */
const COOKIE = ownCookie('authorize')

export function arrivedAt(call: Call, asked: BeginAuthorization): number {
  const { config, now } = call.platform
  const [time = ''] = COOKIE.of(call.exchange, config)?.split('.') ?? []
  const at = Number(time)
  const isRecent = at > now() - requestLifetimeSeconds * 1000 && at <= now()
  return isRecent && COOKIE.of(call.exchange, config) === cookieFor(call, asked, at) ? at : now()
}

/** Runs before the page takes over. */
export function keepArrival(call: Call, asked: BeginAuthorization, at: number): void {
  COOKIE.set(call.exchange, call.platform.config, cookieFor(call, asked, at), requestLifetimeSeconds)
}

/** If the same request comes again, it counts as a new one. */
export function forgetArrival({ exchange, platform }: Call): void {
  if (COOKIE.of(exchange, platform.config) !== undefined) COOKIE.clear(exchange, platform.config)
}

function cookieFor({ platform }: Call, asked: BeginAuthorization, at: number): string {
  const request = JSON.stringify(Object.entries(asked).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return `${at}.${platform.signer.digest('arrival of an authorization request', `${at} ${request}`)}`
}
