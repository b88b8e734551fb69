import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { KeyedRequest } from '../../../rules/idempotency.ts'
import { sliceOf } from '../../../rules/paging.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { CLEAR_CHARACTERS, randomCode } from '../../../rules/tokens.ts'
import { type Actor, auditEntry } from '../../ground/audit/audit.ts'
import { writeOnce } from '../../ground/idempotency/idempotency.ts'
import { countUse } from '../../ground/limits/limits.ts'
import { lockUser } from '../../people/users/statements.ts'
import type { ListBetaCodes } from './input.ts'
import * as store from './store.ts'

/** Goes into the batch that makes the administrator. */
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
  await writeOnce(meta, userId, keyed, now, async (record) => {
    // The key first: a repeated request waits there for the first commit, and is not refused because the
    // code is used.
    const [recorded] = record({})
    const read = [recorded, lockUser(meta, userId), store.heldCode(meta, code), store.codeOf(meta, userId)] as const
    await meta.decide(read, async (decision, _, [user], [found], [bound]) => {
      if (!user) throw new Refusal('UNAUTHORIZED', 'This account has just been deleted.')
      if (!found) throw new Refusal('INVALID_BETA_CODE', 'This beta code does not exist.')
      if (bound) throw new Refusal('BETA_CODE_ALREADY_BOUND', 'You already have a beta code.')
      if (found.used_at !== null) throw new Refusal('BETA_CODE_ALREADY_BOUND', 'This beta code has been used.')
      decision.write(...store.bind(meta, code, userId, now))
    })
    return {}
  })
}

export function listBetaCodes(meta: Meta, filter: ListBetaCodes) {
  return pageWithTotal(meta, store.count(meta, filter), store.page(meta, filter, sliceOf(filter)))
}

/** `XXXX-XXXX-XXXX`. */
function newBetaCode(): string {
  const group = () => randomCode(CLEAR_CHARACTERS, 4)
  return [group(), group(), group()].join('-')
}
