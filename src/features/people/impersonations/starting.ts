import type { UserTable } from '../../../database/schema/people/users.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { newId } from '../../../rules/ids.ts'
import { Refusal, signedOutMeanwhile } from '../../../rules/refusal.ts'
import { isStaff } from '../../../rules/staff.ts'
import { MINUTE_SECONDS } from '../../../rules/time.ts'
import { newToken } from '../../../rules/tokens.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import { wireKnownUser, wireSession } from '../account/wire.ts'
import { findCallerById } from '../callers/find-caller.ts'
import { bearerTokenOf, setActingCookie } from '../sessions/cookie.ts'
import { actingSession, decideSignedIn } from '../sessions/sessions.ts'
import { lockedUser } from '../users/statements.ts'
import { unknownUser } from '../users/users.ts'
import { endImpersonation } from './ending.ts'
import type { ImpersonateUser } from './input.ts'
import * as store from './store.ts'

const LONGEST_SECONDS = 30 * MINUTE_SECONDS

/**
 * Opens a session as a user in the administrator's browser, which keeps the administrator's own beside it. It is no
 * sign-in: no hook is asked, no `session.created` is told, and the user's own sessions stay.
 */
export async function impersonateUser(call: SignedInCall, { userId, reason, write }: ImpersonateUser) {
  const { platform, exchange, caller } = call
  const { meta, now } = platform
  if (bearerTokenOf(exchange) !== undefined) throw refused('Begin in the browser, with the cookie of your session.')
  const settings = await settingsOf(call)
  const { impersonation: allowed } = settings.authentication
  if (allowed === 'off') throw refused('The settings do not allow it.')
  const mode = write ? allowed : 'read_only'
  const id = newId()
  const token = newToken('acting')
  const read = [lockedUser(meta, userId), store.openFrom(meta, caller.credential.id)] as const
  await decideSignedIn({ ...call, settings }, read, async (act, administrator, [user], former) => {
    if (!user) throw unknownUser()
    refuseUnfit(user)
    for (const row of former) endImpersonation(act, platform, row, 'replaced')
    const by = administrator.id
    act.write(
      actingSession(platform, { id, userId, token, by, lifetimeSeconds: LONGEST_SECONDS }),
      store.insertImpersonation(meta, {
        id,
        user_id: userId,
        administrator_id: by,
        administrator_session_id: caller.credential.id,
        reason: reason || null,
        mode,
        started_at: now(),
        ended_at: null,
      }),
    )
    act.record('impersonation.start', {
      user,
      subject: { type: 'user', id: userId },
      details: { mode, reason },
      data: { id, by, mode },
      letter: mode === 'read_and_write' ? 'acted as you' : undefined,
    })
  })
  const acting = await findCallerById(platform, 'session', id)
  if (!acting) throw signedOutMeanwhile()
  setActingCookie(exchange, platform.config, token, LONGEST_SECONDS)
  exchange.opensSession = true
  return { session: wireSession(acting), user: await wireKnownUser(platform, acting.user) }
}

function refuseUnfit(user: UserTable): void {
  if (user.role === 'administrator') throw refused('You are the administrator.')
  if (isStaff(user)) throw refused('This user is on the staff.')
  if (user.suspended_at !== null) throw refused('This user is suspended.')
}

function refused(message: string): Refusal {
  return new Refusal('IMPERSONATION_REFUSED', message)
}
