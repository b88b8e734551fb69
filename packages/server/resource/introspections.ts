import { type Approval, approvalIn, type Organization, organizationIn } from '../caller.ts'
import { basicOf } from '../credential.ts'
import type { Service } from '../options.ts'
import { isObject, readJson } from '../read-answer.ts'

/** The holder of a token for a resource, according to Gatehouse. */
export interface ResourceCaller {
  /** For a service's own token, its client id. */
  readonly userId: string
  /** Their address, if the token shows it. */
  readonly email: string | undefined
  /** The client that holds the token, or the service that exchanged it. */
  readonly clientId: string
  readonly kind: 'tool' | 'application' | 'service' | 'personal'
  readonly scopes: readonly string[]
  /** The id of the grant. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** The calls the user wants to approve first; the product decides about its own. */
  readonly approval: Approval
  /** The service that acts for the user after a token exchange (RFC 8693). */
  readonly act: Actor | undefined
  /** The organisation in which the grant acts, whose member the user is. */
  readonly organization: Organization | undefined
}

export interface Actor {
  readonly sub: string
  readonly act?: Actor
}

export type Introspected = ResourceCaller | 'inactive' | 'unavailable'

interface Asking {
  readonly clientId: string
  readonly clientSecret: string
  readonly resource: string
}

const PATIENCE_MILLISECONDS = 5_000
/** Forged tokens must not make this process open sockets without limit. */
const MOST_AT_ONCE = 256
const KINDS = ['tool', 'application', 'service', 'personal'] as const

/** Introspects tokens (RFC 7662) as the application that they are for. */
export class Introspections {
  readonly #service: Service
  readonly #authorization: string
  readonly #resource: string
  #running = 0

  constructor(service: Service, { clientId, clientSecret, resource }: Asking) {
    this.#service = service
    this.#authorization = basicOf(clientId, clientSecret)
    this.#resource = resource
  }

  async about(token: string): Promise<Introspected> {
    if (this.#running >= MOST_AT_ONCE) return 'unavailable'
    this.#running++
    try {
      return await this.#ask(token)
    } catch {
      // Without a response the caller is refused with 503, which it may retry.
      return 'unavailable'
    } finally {
      this.#running--
    }
  }

  async #ask(token: string): Promise<Introspected> {
    const { ask, address, clock, issuer } = this.#service
    const response = await ask(`${address}/api/oauth/introspect`, {
      method: 'POST',
      headers: { authorization: this.#authorization },
      body: new URLSearchParams({ token }),
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    })
    const answer = await readJson(response)
    if (!isObject(answer) || typeof answer.active !== 'boolean') return 'unavailable'
    const isForUs = answer.active && answer.iss === issuer && isSameAddress(answer.aud, this.#resource)
    const caller = isForUs ? callerIn(answer) : undefined
    return caller && caller.expiresAt > clock.wall() ? caller : 'inactive'
  }
}

function callerIn(answer: Readonly<Record<string, unknown>>): ResourceCaller | undefined {
  const { sub, client_id, scope, grant_id, exp, username, act } = answer
  const kind = KINDS.find((one) => one === answer.kind)
  const approval = approvalIn(answer.approval)
  const organization = organizationIn(answer)
  if (![sub, client_id, scope, grant_id].every((text) => typeof text === 'string')) return undefined
  if (kind === undefined || approval === undefined || typeof exp !== 'number') return undefined
  if (organization === 'malformed') return undefined
  return {
    userId: String(sub),
    email: typeof username === 'string' ? username : undefined,
    clientId: String(client_id),
    kind,
    scopes: String(scope).split(' ').filter(Boolean),
    id: String(grant_id),
    expiresAt: exp * 1_000,
    approval,
    act: actorIn(act),
    organization,
  }
}

function actorIn(value: unknown): Actor | undefined {
  if (!isObject(value) || typeof value.sub !== 'string') return undefined
  const act = actorIn(value.act)
  return { sub: value.sub, ...(act && { act }) }
}

/** Ignores a slash after the host. */
function isSameAddress(audience: unknown, resource: string): boolean {
  return typeof audience === 'string' && URL.canParse(audience) && new URL(audience).href === new URL(resource).href
}
