import type { Call } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { isOfActing } from '../../../rules/tokens.ts'
import { decide } from '../../ground/acts/acts.ts'
import { findSignedIn } from '../callers/find-caller.ts'
import { leaveAll } from '../sessions/accounts.ts'
import { sessionCookieOf } from '../sessions/cookie.ts'
import { endSession } from '../sessions/ending.ts'
import { dropPendingSignIn } from '../sessions/pending.ts'
import { endFormerSession } from '../sessions/sessions.ts'

export async function signOut(call: Call) {
  const { platform, exchange } = call
  const caller = await findSignedIn(platform, exchange)
  if (caller?.credential.kind === 'grant')
    throw new Refusal('FORBIDDEN', 'This token belongs to a connection; revoke it at /api/oauth/revoke.')
  if (caller) await endSession(platform, exchange, caller)
  else if (isOfActing(sessionCookieOf(exchange, platform.config))) {
    await decide({ platform }, [], async (act) => endFormerSession(act, call))
  }
  await leaveAll(call)
  await dropPendingSignIn(call)
  return { success: true as const }
}
