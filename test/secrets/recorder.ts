import { routes } from '../../src/app.ts'
import { isProtected, type Route } from '../../src/http/route.ts'
import type { Service } from '../service/service.ts'
import type { KnownSecrets } from './known-secrets.ts'

type Visited = Pick<Service, 'request'>

/** Any value in one of these fields is a secret: sent, or returned. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  ...['password', 'currentPassword', 'newPassword', 'otp', 'backupCodes', 'totpURI'],
  ...['token', 'access_token', 'refresh_token', 'id_token', 'id_token_hint', 'subject_token', 'actor_token'],
  ...['client_secret', 'community_client_secret', 'provider_a_client_secret', 'provider_b_client_secret'],
  ...['before_sign_up_secret', 'before_sign_in_secret', 'before_token_secret'],
  ...['api_key', 'smtp_password', 'secret', 'device_code', 'code_verifier', 'challenge', 'form'],
])

/** Secrets under a name that means something else at other routes. */
const SECRET_AT: Readonly<Record<string, readonly string[]>> = {
  '/api/auth/two-factor/verify-totp': ['code'],
  '/api/auth/two-factor/verify-backup-code': ['code'],
  '/api/auth/confirm': ['code'],
  '/api/auth/show-invitation': ['link'],
  '/api/auth/accept-invitation': ['link'],
  '/api/auth/passkey/generate-invitation-options': ['link'],
  '/api/auth/passkey/accept-invitation': ['link'],
  '/api/oauth/token': ['code'],
  '/api/auth/oauth2/callback/community': ['code', 'state'],
  '/api/auth/callback/provider_a': ['code', 'state'],
  '/api/auth/callback/provider_b': ['code', 'state'],
}

/** Every name that a secret has somewhere. */
export const SECRET_NAMES: ReadonlySet<string> = new Set([...SECRET_FIELDS, ...Object.values(SECRET_AT).flat()])

/** Routes at which such a name is an id. */
const OPEN_AT: Readonly<Record<string, readonly string[]>> = {
  '/api/auth/get-session': ['token'],
  '/api/auth/admin/impersonate-user': ['token'],
  '/api/auth/admin/stop-impersonating': ['token'],
  '/api/auth/list-sessions': ['token'],
  '/api/auth/multi-session/list-device-sessions': ['token'],
  '/api/auth/multi-session/set-active': ['token'],
  '/api/auth/revoke-session': ['token'],
}

/** A position in a log. */
const OPEN_COOKIE = 'db_meta_bookmark'

/** Between a walk and the service: keeps each secret that passes, and notes which routes have done their work. */
export class Recorder implements Visited {
  readonly served = new Set<string>()
  /** Calls of tools, carried out after a tap. */
  readonly approved = new Set<string>()
  readonly #visited: Visited
  readonly #secrets: KnownSecrets

  constructor(visited: Visited, secrets: KnownSecrets) {
    this.#visited = visited
    this.#secrets = secrets
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    this.#keepBelow(pathname, Object.fromEntries(searchParams))
    if (typeof init.body === 'string') this.#keepBelow(pathname, JSON.parse(init.body))
    if (init.body instanceof URLSearchParams) this.#keepBelow(pathname, Object.fromEntries(init.body))
    const response = await this.#visited.request(path, init)
    if (response.status < 400) this.served.add(routeName(init.method ?? 'GET', pathname))
    this.#keepHeaders(pathname, response.headers)
    if (response.headers.get('content-type')?.includes('application/json'))
      this.#keepBelow(pathname, await response.clone().json())
    return response
  }

  #keepHeaders(path: string, headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value !== '' && name !== OPEN_COOKIE) this.#secrets.keep(`cookie ${name}`, decodeURIComponent(value))
    }
    const target = headers.get('location')
    if (target) this.#keepAddress(path, target)
  }

  #keepBelow(path: string, value: unknown): void {
    for (const { field, text, isSecret } of leavesOf(path, value)) {
      if (isSecret && text !== '') this.#secrets.keep(`${path}: ${text.slice(0, 4)}…`, text)
      if (isSecret || ADDRESSES.has(field)) this.#keepAddress(path, text)
    }
  }

  /** Keeps the code in a redirect, the state at a provider, and the key in the address of an authenticator app. */
  #keepAddress(path: string, text: unknown): void {
    const url = typeof text === 'string' ? URL.parse(text) : null
    for (const name of ['code', 'form', 'token', 'secret', 'link'])
      for (const value of url?.searchParams.getAll(name) ?? []) this.#secrets.keep(`${path}: ${name}`, value)
  }
}

/** Addresses of an authorization, and of a provider's page. */
const ADDRESSES: ReadonlySet<string> = new Set(['redirect_to', 'url'])

interface Leaf {
  readonly field: string
  readonly text: string
  readonly isSecret: boolean
}

/** The texts below a value; all below a secret field are secret, but for what is to be done with it. */
function* leavesOf(path: string, value: unknown, field = '', isSecret = false): Generator<Leaf> {
  if (typeof value === 'string') yield { field, text: value, isSecret: isSecret && field !== 'action' }
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    const own = Array.isArray(value) ? field : name
    yield* leavesOf(path, inner, own, isSecret || isSecretAt(path, own))
  }
}

function isSecretAt(path: string, field: string): boolean {
  if (OPEN_AT[path]?.includes(field)) return false
  return SECRET_FIELDS.has(field) || SECRET_AT[path]?.includes(field) === true
}

const declared: readonly Route[] = routes

export function routeName(method: string, path: string): string {
  return `${method} ${path}`
}

/** Every route of the service. */
export const ROUTE_NAMES = declared.map(({ method, path }) => routeName(method, path))

/** Routes that a program can call with a token, and wait for: not a stream. */
export const ASKED_BY_TOOLS = declared
  .filter((route) =>
    route.access === 'caller'
      ? route.approval === 'like a read'
      : isProtected(route) && route.grants !== 'refused' && route.mediaType !== 'text/event-stream',
  )
  .map(({ method, path }) => routeName(method, path))
