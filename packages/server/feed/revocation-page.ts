import { isObject, Unavailable } from '../read-answer.ts'

export interface Revocation {
  readonly kind: 'session' | 'grant' | 'user'
  readonly id: string
  readonly at: number
}

export interface Page {
  readonly items: readonly Revocation[]
  readonly next: string
  /** What was learned before no longer counts, for every user. */
  readonly everyone: boolean
  readonly nonce: unknown
}

/** A response that is not fully understood does not count. */
export function pageIn(body: unknown): Page {
  if (!isObject(body) || typeof body.next !== 'string' || !Array.isArray(body.items))
    throw new Unavailable('the answer is not a list of revocations')
  const items: readonly unknown[] = body.items
  if (!items.every(isRevocation)) throw new Unavailable('the answer is not a list of revocations')
  return { items, next: body.next, everyone: body.everyone === true, nonce: body.nonce }
}

function isRevocation(value: unknown): value is Revocation {
  if (!isObject(value)) return false
  const { kind, id, at } = value
  const isKnown = kind === 'session' || kind === 'grant' || kind === 'user'
  return isKnown && typeof id === 'string' && typeof at === 'number' && Number.isFinite(at)
}
