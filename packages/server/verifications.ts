import { approvalIn, type Caller } from './caller.ts'
import type { Service } from './options.ts'
import { readAnswer } from './read-answer.ts'

/** Gatehouse's own answer about a credential. */
type Answered =
  | { readonly kind: 'caller'; readonly caller: Caller; readonly expiresAt: number }
  | { readonly kind: 'unauthorized' | 'forbidden' | 'unavailable' }

const PATIENCE_MILLISECONDS = 5_000
/** Forged tokens must not make this process open sockets without limit. */
const MOST_AT_ONCE = 256

export class Verifications {
  readonly #service: Service
  #running = 0

  constructor(service: Service) {
    this.#service = service
  }

  async about(token: string): Promise<Answered> {
    if (this.#running >= MOST_AT_ONCE) return { kind: 'unavailable' }
    this.#running++
    try {
      return await this.#ask(token)
    } catch {
      // Without a response every caller is refused; `check` returns the reason.
      return { kind: 'unavailable' }
    } finally {
      this.#running--
    }
  }

  async #ask(token: string): Promise<Answered> {
    const { ask, address, clock } = this.#service
    const response = await ask(`${address}/api/verify`, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    })
    await readAnswer(response)
    if (response.status === 401) return { kind: 'unauthorized' }
    if (response.status === 403) return { kind: 'forbidden' }
    const answered = response.status === 200 ? answeredIn(response.headers) : undefined
    if (answered?.kind === 'caller' && answered.expiresAt <= clock.wall()) return { kind: 'unauthorized' }
    return answered ?? { kind: 'unavailable' }
  }
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
    scopes: text('x-auth-scopes').split(' ').filter(Boolean),
    id,
    approval,
  } as const
  return { kind: 'caller', caller, expiresAt: seconds * 1_000 }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
