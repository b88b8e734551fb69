import type { z } from 'zod'
import type { Shard } from '../database/store.ts'
import type { Platform } from '../platform/platform.ts'
import type { Caller } from '../rules/caller.ts'
import type { CallerLimit } from '../rules/caller-limits.ts'
import type { KeyedRequest } from '../rules/idempotency.ts'
import type { Scope } from '../rules/scopes.ts'
import type { WhileActing } from './acting.ts'
import type { Answer } from './answers/answer.ts'
import type { Exchange } from './exchange.ts'
import { closed } from './requests/unknown-fields.ts'
import type { Sender } from './sender/sender.ts'

/** Calls the routes below `/api/` for assistants. */
export const MCP_PATH = '/mcp'

/** The arguments of every handler. */
export interface Call {
  readonly platform: Platform
  readonly sender: Sender
  /** Reads and sets headers and cookies. */
  readonly exchange: Exchange
}

export interface SignedInCall extends Call {
  readonly caller: Caller
}

export interface ProtectedCall extends SignedInCall {
  /** The caller's own. */
  readonly shard: Shard
  /** The time just before the caller was looked up. */
  readonly asOf: number
  /** Set if the route takes keys and the caller sent one. */
  readonly keyed: KeyedRequest | undefined
}

interface Declared<Method, Path, Input extends z.ZodType, Output extends z.ZodType> {
  readonly method: Method
  readonly path: Path
  readonly summary: string
  readonly input: Input
  readonly output: Output
  /** A route can only open a session if it says so: `test/security/ways-in.test.ts` goes through all of them. */
  readonly session?: 'can be opened'
  /** Set where the rest of the declaration does not say what an administrator may do while acting as a user. */
  readonly whileActing?: WhileActing
}

interface PublicOptions<M, P, I extends z.ZodType, O extends z.ZodType> extends Declared<M, P, I, O> {
  /**
   * `form`: an OAuth endpoint. Takes a form, refuses in the RFC's shape, and ignores cookies. `ignored`: the input is in
   * the address; it ignores cookies too.
   */
  readonly body?: 'form' | 'ignored'
  /** Takes no form, but still refuses in the RFC's shape. */
  readonly refusals?: 'of OAuth'
  /** Runs before origin and body are checked, so it can refuse a request whatever was sent. */
  before?(call: Call): Promise<void>
  /**
   * The token of a grant is accepted, for answers that never wait for its user's approval, such as who that user is.
   * Anywhere else it counts as absent.
   */
  readonly grants?: 'accepted'
  /** Facts that the API's description cannot get from the schemas. */
  readonly described?: Described
  /** The response redirects the browser. */
  readonly answer?: 'redirect'
  handle(call: Call, input: z.output<I>): Result<O>
}

interface Described {
  /** Parameters whose absence is refused in the protocol's own words. */
  readonly required?: readonly string[]
  /** Headers of the request, by name. */
  readonly parameters?: Readonly<Record<string, string>>
  /**
   * `optional`: a caller without a credential is served too. `of an application`: its id and secret. `of a client`:
   * those, or only the id of a client without a secret, in the form.
   */
  readonly credential?: 'required' | 'optional' | 'of an application' | 'of a client'
  /** Headers that are part of the response. */
  readonly headers?: Readonly<Record<string, string>>
  readonly mediaType?: 'text/plain' | 'text/html' | 'text/css' | 'image/*'
}

export function describedOf(route: Route): Described {
  return (route.access === 'public' ? route.described : undefined) ?? {}
}

interface SessionOptions<M, P, I extends z.ZodType, O extends z.ZodType> extends Declared<M, P, I, O> {
  /** `not needed`: open to users who lack a required second factor. */
  readonly secondFactor?: 'not needed'
  /** Refuses everybody else. */
  readonly role?: 'administrator'
  /** How often each caller can do it: counted once the input is valid, before the session has to be fresh. */
  readonly limit?: CallerLimit
  /** Refuses a session whose user has not lately proven to be its owner. */
  readonly needsFreshSession?: true
  /** Runs before the caller is looked up, so it can refuse a request whatever was sent. */
  before?(call: Call): Promise<void>
  handle(call: SignedInCall, input: z.output<I>): Result<O>
}

interface GuardedOptions<M, P, I extends z.ZodType, O extends z.ZodType> extends Declared<M, P, I, O> {
  /** `open`: the beta gate does not apply. */
  readonly gate?: 'open'
  /** It waits for news, so the caller is checked again before the response. */
  readonly waits?: 'for news'
  /** Set only if the body may be larger than `maximumBodyBytes`. */
  readonly largestBodyBytes?: number
  /** A write that would be done twice if sent twice takes an `Idempotency-Key`. */
  readonly idempotency?: 'by key'
  /** How often each caller can do it: counted last, so a call that waits for approval counts when it is carried out. */
  readonly limit?: CallerLimit
  /** `refused` serves only sessions, whatever scopes a program holds. */
  readonly grants?: 'refused'
  /**
   * True if the input changes something that needs a fresh session of the user. A program is refused, whatever its
   * scopes, before it is told to wait for an approval.
   */
  needsFreshSession?(call: ProtectedCall, input: z.output<I>): Promise<boolean>
  /** The response's media type, if it is not JSON. */
  readonly mediaType?: 'text/html' | 'text/event-stream'
  handle(call: ProtectedCall, input: z.output<I>): Result<O>
}

interface ProtectedOptions<M, P, I extends z.ZodType, O extends z.ZodType> extends GuardedOptions<M, P, I, O> {
  readonly scope: Scope
}

interface CallerOptions<M, P, I extends z.ZodType, O extends z.ZodType> extends GuardedOptions<M, P, I, O> {
  readonly scope?: never
  /** `like a read`: a grant whose every call waits for approval waits here too. */
  readonly approval: 'like a read' | 'never'
}

type Method = 'GET' | 'POST'

/** The declared output, or a whole response; a handler whose output is `{}` returns nothing. */
type Result<O extends z.ZodType> =
  | Promise<z.input<O> | Answer>
  | (z.input<O> extends Record<string, never> ? Promise<void> : never)

export type PublicRoute<M = Method, P = string, I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly access: 'public'
} & PublicOptions<M, P, I, O>

export type SessionRoute<M = Method, P = string, I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly access: 'session'
} & SessionOptions<M, P, I, O>

export type ProtectedRoute<M = Method, P = string, I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly access: 'protected'
} & ProtectedOptions<M, P, I, O>

export type CallerRoute<M = Method, P = string, I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly access: 'caller'
} & CallerOptions<M, P, I, O>

/** A route for a session or a grant's token. */
export type GuardedRoute = ProtectedRoute | CallerRoute

export type Route = PublicRoute | SessionRoute | GuardedRoute

export function isGuarded(route: Route): route is GuardedRoute {
  return route.access === 'protected' || route.access === 'caller'
}

export function isProtected(route: Route): route is ProtectedRoute {
  return route.access === 'protected'
}

/** Anyone can call it; its handler reads what it needs from the request. */
export function publicRoute<const M extends Method, const P extends string, I extends z.ZodType, O extends z.ZodType>(
  options: PublicOptions<M, P, I, O>,
): PublicRoute<M, P, I, O> {
  return closing<I, PublicRoute<M, P, I, O>>({ access: 'public', ...options })
}

/** A route for a user's own session; a grant's token is refused, whatever its scopes. */
export function sessionRoute<const M extends Method, const P extends string, I extends z.ZodType, O extends z.ZodType>(
  options: SessionOptions<M, P, I, O>,
): SessionRoute<M, P, I, O> {
  return closing<I, SessionRoute<M, P, I, O>>({ access: 'session', ...options })
}

/** The specification's steps: caller, the route's one scope, beta gate, shard, role. */
export function protectedRoute<
  const M extends Method,
  const P extends string,
  I extends z.ZodType,
  O extends z.ZodType,
>(options: ProtectedOptions<M, P, I, O>): ProtectedRoute<M, P, I, O> {
  return closing<I, ProtectedRoute<M, P, I, O>>({ access: 'protected', ...options })
}

/** The same steps for any session or grant, whatever its scopes. */
export function callerRoute<const M extends Method, const P extends string, I extends z.ZodType, O extends z.ZodType>(
  options: CallerOptions<M, P, I, O>,
): CallerRoute<M, P, I, O> {
  return closing<I, CallerRoute<M, P, I, O>>({ access: 'caller', ...options })
}

/**
 * A JSON body has no field that its route does not declare. OAuth says that unknown parameters are ignored, and
 * clients of Better Auth send its further options below `/api/auth/`. The closed schema is made when it is first asked
 * for: those of all routes are a twentieth of a start.
 */
function closing<I extends z.ZodType, R extends Closable & { readonly input: I }>(route: R): R {
  const isOpen = route.body !== undefined || route.refusals === 'of OAuth'
  if (route.method === 'GET' || isOpen || route.path.startsWith('/api/auth/')) return route
  let made: I | undefined
  return {
    ...route,
    get input() {
      made ??= closed(route.input)
      return made
    },
  }
}

interface Closable {
  readonly method: Method
  readonly path: string
  readonly body?: 'form' | 'ignored'
  readonly refusals?: 'of OAuth'
}

/** Maps paths to input and output, made from the declarations themselves; clients import it as a type. */
export type ApiOf<Routes extends readonly unknown[]> = {
  [R in Routes[number] as R extends { path: infer P extends string } ? P : never]: R extends {
    input: infer I extends z.ZodType
    output: infer O extends z.ZodType
  }
    ? { input: z.input<I>; output: z.output<O> }
    : never
}
