import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import type { Meta } from '../../../database/store.ts'
import type { ProtectedCall, SignedInCall } from '../../../http/route.ts'
import type { KeyedRequest } from '../../../rules/idempotency.ts'
import { sliceOf } from '../../../rules/paging.ts'
import { Refusal, signedOutMeanwhile } from '../../../rules/refusal.ts'
import { CLEAR_CHARACTERS, randomCode } from '../../../rules/tokens.ts'
import { decide } from '../../ground/acts/acts.ts'
import { writeOnce } from '../../ground/idempotency/idempotency.ts'
import { countUse } from '../../ground/limits/limits.ts'
import { lockedUser } from '../../people/users/statements.ts'
import type { ListBetaCodes } from './input.ts'
import * as store from './store.ts'

/** Goes into the decision that makes the administrator. */
export function insertBetaCodeUsedBy(meta: Meta, userId: string, now: number) {
  return store.insertUsed(meta, newBetaCode(), userId, now)
}

export async function generateBetaCodes(call: ProtectedCall, count: number, keyed?: KeyedRequest): Promise<string[]> {
  const { platform, caller } = call
  const { meta } = platform
  const now = platform.now()
  const codes = Array.from({ length: count }, newBetaCode)
  return writeOnce(meta, caller.user.id, keyed, now, (record) =>
    decide(call, [], async (act) => {
      act.write(store.insertFree(meta, codes, now), record(codes))
      act.record('beta_codes.generate', { details: { count } })
      return codes
    }),
  )
}

/** A code is for one user, and a user has one code. */
export async function bindBetaCode(call: SignedInCall, code: string, keyed?: KeyedRequest): Promise<void> {
  const { platform, caller } = call
  const { meta } = platform
  const userId = caller.user.id
  const now = platform.now()
  await countUse(platform, 'beta-codes-by-user', userId)
  await writeOnce(meta, userId, keyed, now, async (record) => {
    // The key first: a repeated request waits there for the first commit, and is not refused because the
    // code is used.
    const read = [
      record({}),
      lockedUser(meta, userId),
      store.lockedCode(meta, code),
      store.codeOf(meta, userId),
    ] as const
    await decide(call, read, async (act, _, [user], [found], [bound]) => {
      if (!user) throw signedOutMeanwhile()
      if (!found) throw new Refusal('INVALID_BETA_CODE', 'This beta code does not exist.')
      if (bound) throw new Refusal('BETA_CODE_ALREADY_BOUND', 'You already have a beta code.')
      if (found.used_at !== null) throw new Refusal('BETA_CODE_ALREADY_BOUND', 'This beta code has been used.')
      act.write(store.bind(meta, code, userId, now))
      act.record('beta_code.bound', { user: { id: userId }, id: `beta_code_bound_${userId}` })
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
