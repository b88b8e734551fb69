import { type SqlBool, sql } from 'kysely'
import { v5 as uuidOf } from 'uuid'
import { z } from 'zod'
import type { Exchange } from '../../../http/exchange.ts'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Caller } from '../../../rules/caller.ts'
import { Id } from '../../../rules/ids.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { tokenHash } from '../../../rules/tokens.ts'
import { type Act, decide } from '../../ground/acts/acts.ts'
import { leaveActive } from './accounts.ts'
import { bearerTokenOf, sessionCookieOf } from './cookie.ts'
import { decideSignedIn, endSessions, endWhere, lockedSession } from './sessions.ts'

export const SessionReference = z.object({
  /** The id as listed, never the secret. */
  token: Id,
})

/** Another user's session is refused exactly like one that does not exist. */
export async function revokeSession(call: SignedInCall, { token: id }: z.output<typeof SessionReference>) {
  const { platform, caller } = call
  const isOwn = id === caller.credential.id
  await decideSignedIn(call, [lockedSession(platform.meta, caller.user.id, id)], async (act, user, [session]) => {
    if (!session) throw new Refusal('NOT_FOUND', 'You have no such session.')
    endHeldSession(act, platform, user.id, id, 'revoked')
    const letter = isOwn ? undefined : 'signed out elsewhere'
    act.record('session.revoke', { user, details: { which: 'one' }, letter })
  })
  if (isOwn) await leaveActive(call)
  return { status: true as const }
}

/**
 * Takes effect at once, in every process. Also ends the session of an administrator who acts as the user, and the session with which a password change has replaced it. It is a
 * batch: `docs/decisions.md` says what a decision would cost.
 */
export async function endSession(
  platform: Platform,
  exchange: Exchange,
  { user, credential, actor }: Caller,
): Promise<void> {
  if (actor) await endSessions(platform, actor.id, [actor.sessionId])
  const ids = [credential.id, successorOf(platform, exchange)].filter((id) => id !== undefined)
  await endSessions(platform, user.id, ids)
}

/** The sweep ends each session in its own commit: one that locked many could deadlock with a user's deletion. */
export async function endIfExpired(platform: Platform, id: string): Promise<void> {
  const expired = sql<SqlBool>`session.id = ${id} and session.expires_at <= ${platform.now()}`
  await decide({ platform }, [], async (act) => endWhere(act, platform, expired, 'expired'))
}

const SUCCESSORS = '2d3c6f0e-7a51-4f3c-9f0e-5b8d1c9a4e27'

/**
 * The id of the session with which a password change replaces the presented one. It is derived from the token, so that
 * a simultaneous sign-out, which knows only the former token, ends it too.
 */
export function successorOf({ config }: Platform, exchange: Exchange): string | undefined {
  const token = bearerTokenOf(exchange) ?? sessionCookieOf(exchange, config)
  return token === undefined ? undefined : uuidOf(tokenHash(token), SUCCESSORS)
}

/** The session must be locked. */
export function endHeldSession(act: Act, platform: Platform, userId: string, id: string, reason: string): void {
  endWhere(act, platform, sql<SqlBool>`session.user_id = ${userId} and session.id = ${id}`, reason)
}
