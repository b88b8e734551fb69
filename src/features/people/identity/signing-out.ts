import type { Call } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { findCaller, findCallerById } from '../callers/find-caller.ts'
import { clearSessionCookie } from '../sessions/cookie.ts'
import { dropPendingSignIn } from '../sessions/second-step/second-step.ts'
import { endSession, successorOf } from '../sessions/sessions.ts'

export async function signOut(call: Call) {
  const { platform, exchange } = call
  const caller = await findCaller(platform, exchange)
  if (caller?.credential.kind === 'grant')
    throw new Refusal('FORBIDDEN', 'This token is of a connection, which /api/oauth/revoke ends.')
  const ended = caller ?? (await findSuccessor(call))
  if (ended) await endSession(platform, exchange, ended)
  clearSessionCookie(exchange, platform.config)
  await dropPendingSignIn(call)
  return { success: true as const }
}

/** Only within a minute, so that an old copy of the former token cannot end a session later. */
async function findSuccessor({ platform, exchange }: Call) {
  const id = successorOf(platform, exchange)
  const caller = id === undefined ? undefined : await findCallerById(platform, 'session', id)
  const isRecent = (caller?.credential.createdAt ?? 0) > platform.now() - MINUTE_MILLISECONDS
  return isRecent ? caller : undefined
}
