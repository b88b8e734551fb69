import { type Needed, refusedInOrganization } from '../checks.ts'
import { bearerOf, type RequestLike } from '../credential.ts'
import { Feed } from '../feed/feed.ts'
import { reportOf } from '../feed/report.ts'
import { type Clock, type Service, serviceOf, type VerifierOptions } from '../options.ts'
import { Remembered } from '../remembered.ts'
import { digestOf } from '../sha256.ts'
import { type Introspected, Introspections, type ResourceCaller } from './introspections.ts'

export interface ResourceOptions extends Omit<VerifierOptions, 'outage' | 'onOutage' | 'onContact'> {
  /** The `web` or `service` application that has the resource. */
  readonly clientId: string
  readonly clientSecret: string
  /** The address for which tokens are issued, as the application has it: `https://mcp.example.com/mcp`. */
  readonly resource: string
  /** The scopes its callers can ask for; the first request of a client asks for these. */
  readonly scopes: readonly string[]
}

/** A product's own server that takes access tokens of Gatehouse, such as one for the Model Context Protocol. */
export interface ProtectedResource {
  /** RFC 9728, to be served at `metadataPath`. */
  readonly metadata: ResourceMetadata
  readonly metadataPath: string
  /** The `www-authenticate` of a request without a token, which leads a client to the metadata. */
  readonly challenge: string
  /** Never rejects. A refusal has the status and headers of the response. */
  check(request: RequestLike, needed?: Omit<Needed, 'session'>): Promise<Admission>
  /** Stops following revocations; from then on it asks about each token. */
  close(): void
}

export interface ResourceMetadata {
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly scopes_supported: readonly string[]
  readonly bearer_methods_supported: readonly string[]
}

export type Admission =
  | { readonly ok: true; readonly caller: ResourceCaller }
  | {
      readonly ok: false
      readonly status: 401 | 403 | 503
      readonly headers: Readonly<Record<string, string>>
    }

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const MOST_REMEMBERED = 100_000
/** A token that its client has refreshed ends within half a minute, which is not in the feed. */
const REMEMBERED_MILLISECONDS = 30_000
const REFUSED_MILLISECONDS = 5_000
/** The form of an access token or a personal token. */
const TOKEN = /^gh[a-z]_[A-Za-z0-9_-]{43}$/

/** `protectedResource` for products passes the real clock; tests pass their own. */
export function protectedResourceAt(options: ResourceOptions, clock: Clock): ProtectedResource {
  return new Resource(options, serviceOf(options, clock, 'protectedResource'))
}

interface Known {
  readonly caller: ResourceCaller
  readonly askedAt: number
}

class Resource implements ProtectedResource {
  readonly metadata: ResourceMetadata
  readonly metadataPath: string
  readonly challenge: string
  readonly #clock: Clock
  readonly #feed: Feed
  readonly #introspections: Introspections
  readonly #metadataUrl: string
  readonly #known = new Remembered<Known>(MOST_REMEMBERED)
  readonly #refused = new Remembered<number>(MOST_REMEMBERED)

  constructor(options: ResourceOptions, service: Service) {
    const { resource, scopes } = options
    const { pathname, search, origin } = addressOf(resource)
    this.metadata = {
      resource,
      authorization_servers: [service.issuer],
      scopes_supported: [...scopes],
      bearer_methods_supported: ['header'],
    }
    this.metadataPath = `${WELL_KNOWN}${pathname === '/' ? '' : pathname}`
    this.#metadataUrl = `${origin}${this.metadataPath}${search}`
    this.challenge = this.#challenge({ ...(scopes.length > 0 && { scope: scopes.join(' ') }) })
    this.#clock = service.clock
    this.#introspections = new Introspections(service, options)
    this.#feed = new Feed(service, { ...options, report: reportOf(options, 0, 'protectedResource') })
    void this.#feed.follow()
  }

  async check(request: RequestLike, { scope, ...inside }: Omit<Needed, 'session'> = {}): Promise<Admission> {
    const token = bearerOf(request)
    if (token === undefined) return this.#refuse(401, this.challenge)
    const introspected = await this.#introspected(token)
    if (introspected === 'unavailable')
      return { ok: false, status: 503, headers: { 'cache-control': 'no-store', 'retry-after': '1' } }
    if (introspected === 'inactive') return this.#refuse(401, this.#challenge({ error: 'invalid_token' }))
    if (scope !== undefined && !introspected.scopes.includes(scope))
      return this.#refuse(403, this.#challenge({ error: 'insufficient_scope', scope }))
    // No other scope would help, so the client is not told to ask for one.
    if (refusedInOrganization(introspected, inside)) return this.#refuse(403, this.challenge)
    return { ok: true, caller: introspected }
  }

  close(): void {
    this.#feed.close()
  }

  async #introspected(token: string): Promise<Introspected> {
    if (!TOKEN.test(token)) return 'inactive'
    const digest = await digestOf(token)
    const known = this.#known.get(digest)
    if (known && this.#isSure(known)) return known.caller
    const askedAt = this.#clock.steady()
    if ((this.#refused.get(digest) ?? Number.NEGATIVE_INFINITY) > askedAt) return 'inactive'
    const introspected = await this.#introspections.about(token)
    if (introspected === 'unavailable') return introspected
    // It ended while the answer was on its way.
    if (introspected === 'inactive' || this.#feed.hasEnded('grant', introspected.id)) {
      this.#known.delete(digest)
      this.#refused.set(digest, this.#clock.steady() + REFUSED_MILLISECONDS)
      return 'inactive'
    }
    this.#known.set(digest, { caller: introspected, askedAt })
    return introspected
  }

  #isSure({ caller, askedAt }: Known): boolean {
    // The feed does not show that a service lost its secret.
    if (caller.act !== undefined || this.#clock.wall() >= caller.expiresAt) return false
    if (this.#clock.steady() >= askedAt + REMEMBERED_MILLISECONDS) return false
    if (!this.#feed.isSure || this.#feed.hasEnded('grant', caller.id)) return false
    return this.#feed.coversLearned(caller, askedAt)
  }

  #refuse(status: 401 | 403, challenge: string): Admission {
    return { ok: false, status, headers: { 'cache-control': 'no-store', 'www-authenticate': challenge } }
  }

  #challenge(parameters: Readonly<Record<string, string>>): string {
    const all = { ...parameters, resource_metadata: this.#metadataUrl }
    const quoted = Object.entries(all).map(([name, value]) => `${name}="${value}"`)
    return `Bearer ${quoted.join(', ')}`
  }
}

function addressOf(resource: string): URL {
  const url = URL.canParse(resource) ? new URL(resource) : undefined
  if (url && /^https?:$/.test(url.protocol) && !url.hash && !url.username && !/["\\]/.test(url.href)) return url
  throw new TypeError('protectedResource: resource must be an address like https://mcp.example.com/mcp')
}
