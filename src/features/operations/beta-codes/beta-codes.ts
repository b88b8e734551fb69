import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import { ConstraintViolation, type Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { KeyedRequest } from '../../../rules/idempotency.ts'
import { sliceOf } from '../../../rules/paging.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { CLEAR_CHARACTERS, randomCode } from '../../../rules/tokens.ts'
import { type Actor, auditEntry } from '../../ground/audit/audit.ts'
import { writeOnce } from '../../ground/idempotency/idempotency.ts'
import { countUse } from '../../ground/limits/limits.ts'
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
  return writeOnce(meta, actor.id ?? '', keyed, now, async (record) => {
    await meta.batch([
      store.insertFree(meta, codes, now),
      auditEntry(platform, actor, { action: 'beta_codes.generate', details: { count } }),
      ...record(codes),
    ])
    return codes
  })
}

/** A code is for one user, and a user has one code. */
export async function bindBetaCode(
  platform: Platform,
  userId: string,
  code: string,
  keyed?: KeyedRequest,
): Promise<void> {
  const { meta } = platform
  const now = platform.now()
  await countUse(platform, 'beta-codes-by-user', userId)
  if (!(await store.isKnown(meta, code)))
    throw new Refusal('INVALID_BETA_CODE', 'There is no such beta code.')
  try {
    await writeOnce(meta, userId, keyed, now, async (record) => {
      // The key first: a repeated request waits there for the first commit, and is not refused because the
      // code is used.
      await meta.batch([...record({}), ...store.bind(meta, code, userId, now)])
      return {}
    })
  } catch (error) {
    throw bindingRefusal(error)
  }
}

function bindingRefusal(error: unknown): unknown {
  if (!(error instanceof ConstraintViolation)) return error
  if (error.kind === 'foreign-key') return new Refusal('UNAUTHORIZED', 'This account has just been deleted.')
  if (error.table !== 'beta_codes') return error
  const words =
    error.column === 'created_at' ? 'This beta code has been used.' : 'You already have a beta code.'
  return new Refusal('BETA_CODE_ALREADY_BOUND', words, { cause: error })
}

export function listBetaCodes(meta: Meta, filter: ListBetaCodes) {
  return pageWithTotal(meta, store.count(meta, filter), store.page(meta, filter, sliceOf(filter)))
}

/** `XXXX-XXXX-XXXX`. */
function newBetaCode(): string {
  const group = () => randomCode(CLEAR_CHARACTERS, 4)
  return [group(), group(), group()].join('-')
}
