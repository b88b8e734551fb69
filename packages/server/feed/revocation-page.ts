import { isObject, Unavailable } from '../read-answer.ts'

const KINDS = ['session', 'grant', 'user', 'organization'] as const

export interface Revocation {
  readonly kind: (typeof KINDS)[number]
  readonly id: string
  readonly at: number
}

export interface Page {
  readonly items: readonly Revocation[]
  readonly next: string
  /** True if everything learned before is void, for every user. */
  readonly everyone: boolean
  readonly nonce: unknown
}

/** Twice what an id of Gatehouse has; many are kept, so none can be as long as a response. */
const LONGEST_ID = 256

/** A response that is not fully understood does not count. */
export function pageIn(body: unknown): Page {
  if (!isObject(body) || !isId(body.next) || !Array.isArray(body.items))
    throw new Unavailable('the response is not a list of revocations')
  const items: readonly unknown[] = body.items
  if (!items.every(isRevocation)) throw new Unavailable('the response is not a list of revocations')
  return { items, next: body.next, everyone: body.everyone === true, nonce: body.nonce }
}

function isRevocation(value: unknown): value is Revocation {
  if (!isObject(value)) return false
  const { kind, id, at } = value
  return KINDS.some((known) => known === kind) && isId(id) && typeof at === 'number' && Number.isFinite(at)
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_ID
}
