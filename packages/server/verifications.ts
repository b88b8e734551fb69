import { type ActingAdministrator, approvalIn, type Caller, type Organization } from './caller.ts'
import { type Refused, UNAUTHORIZED, UNAVAILABLE } from './checks.ts'
import type { Service } from './options.ts'
import type { Outage } from './outage/outage.ts'
import { isObject, readAnswer } from './read-answer.ts'

/** Gatehouse's own answer about a credential. */
type Answered = { readonly caller: Caller; readonly expiresAt: number; readonly endsAt: number } | Refused

const PATIENCE_MILLISECONDS = 5_000
/** Forged tokens must not make this process open sockets without limit. */
const MOST_AT_ONCE = 256

export class Verifications {
  readonly #service: Service
  readonly #outage: Outage
  readonly #waiting = new Set<AbortController>()

  constructor(service: Service, outage: Outage) {
    this.#service = service
    this.#outage = outage
  }

  async about(token: string): Promise<Answered> {
    if (this.#waiting.size >= MOST_AT_ONCE) return UNAVAILABLE
    const sentAt = this.#service.clock.steady()
    const waiting = new AbortController()
    this.#waiting.add(waiting)
    const patience = setTimeout(() => waiting.abort(), PATIENCE_MILLISECONDS)
    // Without a response every caller is refused; `check` returns the reason.
    const answered = await this.#ask(token, waiting.signal).catch(() => UNAVAILABLE)
    clearTimeout(patience)
    this.#waiting.delete(waiting)
    if (answered === UNAVAILABLE) this.#unanswered(sentAt)
    else this.#outage.answered(sentAt)
    return answered
  }

  /** When an outage begins, requests stop waiting for a response. */
  #unanswered(sentAt: number): void {
    this.#outage.unanswered(sentAt)
    if (this.#outage.isOn) for (const waiting of this.#waiting) waiting.abort()
  }

  async #ask(token: string, signal: AbortSignal): Promise<Answered> {
    const { ask, address, clock } = this.#service
    const response = await ask(`${address}/api/verify`, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'error',
      signal,
    })
    const body = await readAnswer(response)
    if (response.status === 401) return UNAUTHORIZED
    if (response.status === 403) return refusedIn(body)
    const answered = response.status === 200 ? answeredIn(response.headers) : undefined
    if (answered?.caller && answered.expiresAt <= clock.wall()) return UNAUTHORIZED
    return answered ?? UNAVAILABLE
  }
}

/** Passes Gatehouse's reason on; a refusal without one did not come from Gatehouse. */
function refusedIn(body: string): Refused {
  const refusal: unknown = JSON.parse(body)
  if (!isObject(refusal) || typeof refusal.code !== 'string') return UNAVAILABLE
  return { ok: false, code: refusal.code, message: String(refusal.message ?? '') }
}

/** Undefined if the response did not come from Gatehouse. */
function answeredIn(headers: Headers): Answered | undefined {
  const text = (name: string) => headers.get(name) ?? ''
  const [userId, id, kind, role] = ['x-user-id', 'x-auth-id', 'x-auth-kind', 'x-user-role'].map(text)
  const approval = approvalIn(headers.get('x-auth-approval'))
  const seconds = Number(text('x-auth-expires'))
  if (!userId || !id || !(seconds > 0)) return undefined
  if (kind !== 'session' && kind !== 'grant') return undefined
  if (role !== 'user' && role !== 'administrator') return undefined
  if (approval === undefined) return undefined
  const caller = {
    userId,
    email: decoded(text('x-user-email')),
    emailVerified: text('x-user-email-verified') === 'true',
    name: decoded(text('x-user-name')),
    role,
    kind,
    scopes: wordsIn(text('x-auth-scopes')),
    id,
    approval,
    organization: organizationOf(text),
    actor: actorOf(text),
  } as const
  return { caller, expiresAt: seconds * 1_000, endsAt: (Number(text('x-auth-ends')) || seconds) * 1_000 }
}

/** An older Gatehouse sends none of these. */
function organizationOf(text: (name: string) => string): Organization | undefined {
  const [id, slug] = [text('x-org-id'), text('x-org-slug')]
  if (!id || !slug) return undefined
  return { id, slug, roles: wordsIn(text('x-org-roles')), permissions: wordsIn(text('x-org-permissions')) }
}

function actorOf(text: (name: string) => string): ActingAdministrator | undefined {
  const userId = text('x-act-sub')
  return userId === '' ? undefined : { userId, readOnly: text('x-auth-read-only') === 'true' }
}

function wordsIn(text: string): readonly string[] {
  return text.split(' ').filter(Boolean)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
