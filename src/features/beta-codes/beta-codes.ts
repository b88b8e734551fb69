import { randomInt } from 'node:crypto'
import { pageWithTotal } from '../../database/page-with-total.ts'
import { ConstraintViolation, type Meta } from '../../database/store.ts'
import type { Platform } from '../../platform/platform.ts'
import type { KeyedRequest } from '../../rules/idempotency.ts'
import { sliceOf } from '../../rules/paging.ts'
import { Refusal } from '../../rules/refusal.ts'
import { type Actor, auditEntry } from '../audit/audit.ts'
import { answeredOnce } from '../idempotency/idempotency.ts'
import { countUse } from '../limits/limits.ts'
import type { ListBetaCodes } from './input.ts'
import * as store from './store.ts'

/** For the batch that makes the administrator. */
export function insertBetaCodeUsedBy(meta: Meta, userId: string, now: number) {
  return store.insertUsed(meta, newBetaCode(), userId, now)
}

export async function generateBetaCodes(
  platform: Platform,
  actor: Actor,
  count: number,
  keyed?: KeyedRequest,
): Promise<string[]> {
  const { meta } = platform
  const now = platform.now()
  const codes = Array.from({ length: count }, newBetaCode)
  return answeredOnce(meta, actor.id ?? '', keyed, now, async (record) => {
    await meta.batch([
      store.insertFree(meta, codes, now),
      auditEntry(platform, actor, { action: 'beta_codes.generate', details: { count } }),
      ...record(codes),
    ])
    return codes
  })
}

/** A code serves one user, and a user holds one code. */
export async function bindBetaCode(platform: Platform, userId: string, code: string) {
  const { meta, now } = platform
  await countUse(platform, 'beta-codes-by-user', userId)
  try {
    if (await store.bind(meta, code, userId, now())) return
  } catch (error) {
    if (!(error instanceof ConstraintViolation)) throw error
    if (error.kind === 'foreign-key') throw new Refusal('UNAUTHORIZED', 'This account has just been deleted.')
    throw new Refusal('BETA_CODE_ALREADY_BOUND', 'You have a beta code already.', { cause: error })
  }
  if (!(await store.isKnown(meta, code)))
    throw new Refusal('INVALID_BETA_CODE', 'There is no such beta code.')
  throw new Refusal('BETA_CODE_ALREADY_BOUND', 'This beta code has been used.')
}

export function listBetaCodes(meta: Meta, filter: ListBetaCodes) {
  return pageWithTotal(meta, store.count(meta, filter), store.page(meta, filter, sliceOf(filter)))
}

const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'

/** `XXXX-XXXX-XXXX`, without look-alikes. */
export function newBetaCode(): string {
  const group = () => Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return [group(), group(), group()].join('-')
}
