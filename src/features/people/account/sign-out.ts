import type { Call } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { findSignedIn } from '../callers/find-caller.ts'
import { clearSessionCookie } from '../sessions/cookie.ts'
import { endSession } from '../sessions/ending.ts'
import { dropPendingSignIn } from '../sessions/pending.ts'

export async function signOut(call: Call) {
  const { platform, exchange } = call
  const caller = await findSignedIn(platform, exchange)
  if (caller?.credential.kind === 'grant')
    throw new Refusal('FORBIDDEN', 'This token belongs to a connection; revoke it at /api/oauth/revoke.')
  if (caller) await endSession(platform, exchange, caller)
  clearSessionCookie(exchange, platform.config)
  await dropPendingSignIn(call)
  return { success: true as const }
}
