import { createHash } from 'node:crypto'
import type { Caller } from '../../rules/caller.ts'
import type { KeyedRequest } from '../../rules/idempotency.ts'
import { invalidInput } from '../../rules/refusal.ts'
import type { Exchange } from '../exchange.ts'
import { isGuarded, type Route } from '../route.ts'

export const IDEMPOTENCY_KEY = 'idempotency-key'

const KEY = /^[\x20-\x7e]{1,255}$/

/** Undefined without the header; a route that takes no key ignores it. */
export function keyOf(exchange: Exchange, route: Route): string | undefined {
  const key = takesKey(route) ? exchange.header(IDEMPOTENCY_KEY) : undefined
  if (key === undefined || KEY.test(key)) return key
  throw invalidInput(IDEMPOTENCY_KEY, 'Idempotency-Key has 1 to 255 printable ASCII characters.')
}

export function keyedRequestOf(
  key: string | undefined,
  route: Route,
  input: unknown,
  { credential }: Caller,
): KeyedRequest | undefined {
  if (key === undefined) return undefined
  const fingerprint = createHash('sha256').update(JSON.stringify(input)).digest('base64url')
  return { key, path: route.path, program: programOf(credential), fingerprint }
}

/**
 * An application gets new grants while it runs; all tools have one client ID, and so have all personal tokens. A service
 * acts through another's connection.
 */
function programOf(credential: Caller['credential']): string | undefined {
  if (credential.kind === 'session') return undefined
  const { grantKind, clientId, id, act } = credential
  const program = grantKind === 'application' || grantKind === 'service' ? clientId : id
  return act ? `${program}\n${act.sub}` : program
}

export function takesKey(route: Route): boolean {
  return isGuarded(route) && route.idempotency === 'by key'
}
