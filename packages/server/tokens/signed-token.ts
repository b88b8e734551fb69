import { actorIn, approvalIn, type Caller, organizationIn } from '../caller.ts'
import { isObject } from '../read-answer.ts'

interface SignedToken {
  readonly kid: string
  readonly alg: string
  readonly data: Uint8Array<ArrayBuffer>
  readonly signature: Uint8Array<ArrayBuffer>
  readonly claims: Readonly<Record<string, unknown>>
}

export interface SignedCaller {
  readonly caller: Caller
  readonly issuedAt: number
  readonly expiresAt: number
  /** The end of its session or grant. An older Gatehouse does not tell it, so there the token's own counts. */
  readonly endsAt: number
}

/** The tolerated difference between the clocks of two machines. */
export const CLOCK_SKEW_MILLISECONDS = 60_000
/** Exceeds the lifetime of any token of Gatehouse, and is less than the time for which revocations are kept. */
export const LONGEST_LIFE_MILLISECONDS = 6 * 60_000

const utf8 = new TextDecoder('utf-8', { fatal: true })
const encoder = new TextEncoder()
const PARTS = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/

export function isSignedToken(token: string): boolean {
  return PARTS.test(token)
}

/** The parts of a token, unchecked; undefined if it is not one of Gatehouse's form. */
export function readSignedToken(token: string): SignedToken | undefined {
  const [, head = '', body = '', tail = ''] = PARTS.exec(token) ?? []
  const header = jsonIn(head)
  const claims = jsonIn(body)
  const signature = bytesIn(tail)
  if (!header || !claims || !signature) return undefined
  const { alg, kid, typ } = header
  // Refuses extensions that must be understood (`crit`), and other types of tokens.
  if ('crit' in header || (typ !== undefined && typ !== 'JWT')) return undefined
  if (typeof alg !== 'string' || typeof kid !== 'string') return undefined
  return { kid, alg, claims, signature, data: encoder.encode(`${head}.${body}`) }
}

/** The caller in the claims, if issuer, audience and times are right; undefined otherwise. */
export function callerIn(claims: SignedToken['claims'], issuer: string, now: number): SignedCaller | undefined {
  const { iss, aud, iat, exp, nbf = 0 } = claims
  if (iss !== issuer || !isFor(aud, issuer)) return undefined
  if (!isTime(iat) || !isTime(exp) || !isTime(nbf)) return undefined
  const [issuedAt, expiresAt] = [iat * 1_000, exp * 1_000]
  const latest = now + CLOCK_SKEW_MILLISECONDS
  if (expiresAt <= now || issuedAt > latest || nbf * 1_000 > latest) return undefined
  const caller = named(claims)
  const endsAt = isTime(claims.ends) ? claims.ends * 1_000 : expiresAt
  return caller && { caller, issuedAt, expiresAt, endsAt }
}

function named(claims: SignedToken['claims']): Caller | undefined {
  const { sub, sid, kind, role, email, email_verified, name = email, scope } = claims
  if (!isText(sub) || !isText(sid) || typeof email !== 'string' || typeof name !== 'string') return undefined
  if (kind !== 'session' && kind !== 'grant') return undefined
  if (role !== 'user' && role !== 'administrator') return undefined
  const approval = approvalIn(claims.approval)
  const organization = organizationIn(claims)
  const actor = actorIn(claims)
  if (typeof scope !== 'string' || approval === undefined) return undefined
  if (organization === 'malformed' || actor === 'malformed') return undefined
  const scopes = scope === '' ? [] : scope.split(' ')
  const emailVerified = email_verified === true
  return { userId: sub, email, emailVerified, name, role, kind, scopes, id: sid, approval, organization, actor }
}

function isFor(aud: unknown, issuer: string): boolean {
  return aud === issuer || (Array.isArray(aud) && aud.includes(issuer))
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function jsonIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = bytesIn(text)
  if (!bytes) return undefined
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function bytesIn(base64url: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = new Uint8Array(text.length)
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
    return bytes
  } catch {
    return undefined
  }
}
