import type { Call } from '../../../http/route.ts'
import type { Caller } from '../../../rules/caller.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { isOfActing } from '../../../rules/tokens.ts'
import { decide } from '../../ground/acts/acts.ts'
import { wireKnownUser, wireSession } from '../account/wire.ts'
import { findCaller, findWhoActs } from '../callers/find-caller.ts'
import { clearSessionCookie, giveBackSession, sessionCookieOf } from '../sessions/cookie.ts'
import { lockedUser } from '../users/statements.ts'
import { endImpersonation } from './ending.ts'
import * as store from './store.ts'

/**
 * Brings back the administrator's own session, also when the acting has ended by itself. Only the browser in which the
 * acting began knows that session: a thief who has copied the acting session alone gets nothing.
 */
export async function stopImpersonating(call: Call) {
  const { platform, exchange } = call
  const { config } = platform
  const caller = await findCaller(platform, exchange)
  if (caller ? !caller.actor : !isOfActing(sessionCookieOf(exchange, config)))
    throw caller
      ? new Refusal('IMPERSONATION_REFUSED', 'You act as nobody.')
      : new Refusal('UNAUTHORIZED', 'Sign in first.')
  if (caller) await stop(call, caller)
  const own = await findWhoActs(platform, exchange)
  if (!own) {
    clearSessionCookie(exchange, config)
    return { session: null, user: null }
  }
  giveBackSession(exchange, config)
  return { session: wireSession(own), user: await wireKnownUser(platform, own.user) }
}

async function stop(call: Call, { user, credential, actor }: Caller): Promise<void> {
  const { platform } = call
  const { meta } = platform
  if (!actor) return
  const first = [lockedUser(meta, actor.id), lockedUser(meta, user.id), store.openOne(meta, credential.id)] as const
  await decide(call, first, async (act, _, __, [row]) => {
    if (row) endImpersonation(act, platform, row, 'stopped')
  })
}
