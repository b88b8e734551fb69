import { z } from 'zod'
import type { SignedInCall } from '../../../http/route.ts'
import { noticeToOwner } from '../../delivery/mail/notices.ts'
import { type Act, actorOf, auditEntry } from '../../ground/audit/audit.ts'
import { countAct } from '../../ground/limits/acts.ts'
import { clearSessionCookie } from '../../people/sessions/cookie.ts'
import { decideSignedIn } from '../../people/sessions/sessions.ts'
import { openSessionsOf } from '../../people/sessions/statements.ts'
import { decideAboutUser, getUser } from '../../people/users/users.ts'
import { endAccess } from './ending.ts'

export const RevokeOtherSessions = z.object({
  /** Also end the connections of command-line tools, and pending requests for one. */
  tools: z.boolean().default(false),
})

export async function revokeSessions(call: SignedInCall) {
  const { platform, caller } = call
  const { id } = caller.user
  const letter = noticeToOwner(call, caller.user, 'signed out everywhere')
  await decideSignedIn(call, [], async (decision) => {
    decision.write(
      ...endAccess(platform, 'signed out everywhere', id),
      auditEntry(platform, actorOf(call), { action: 'session.revoke', details: { which: 'all' } }),
      ...letter,
    )
  })
  clearSessionCookie(call.exchange, platform.config)
  return { status: true as const }
}

export async function revokeOtherSessions(
  call: SignedInCall,
  { tools }: z.output<typeof RevokeOtherSessions>,
) {
  await countAct(call, 'others-signed-out')
  const { platform, caller } = call
  const { id } = caller.user
  const reason = tools ? 'signed out elsewhere with tools' : 'signed out elsewhere'
  const change = tools ? 'signed out everywhere' : 'signed out elsewhere'
  const letter = noticeToOwner(call, caller.user, change)
  await decideSignedIn(call, [], async (decision) => {
    decision.write(
      ...endAccess(platform, reason, id, caller.credential.id),
      auditEntry(platform, actorOf(call), { action: 'session.revoke', details: { which: 'others', tools } }),
      ...letter,
    )
  })
  return { status: true as const }
}

/** Signs the user out everywhere at once, including tools; returns how many sessions ended. */
export async function revokeUserSessions(call: SignedInCall, id: string): Promise<number> {
  await countAct(call, 'users-signed-out')
  const { platform } = call
  const { meta } = platform
  const letter = noticeToOwner(call, await getUser(meta, id), 'signed out everywhere')
  const act: Act = { action: 'user.revoke_sessions', subject: { type: 'user', id } }
  return decideAboutUser(meta, id, [openSessionsOf(meta, id)], async (decision, _, sessions) => {
    decision.write(
      ...endAccess(platform, 'signed out by the administrator', id),
      auditEntry(platform, actorOf(call), act),
      ...letter,
    )
    return sessions.length
  })
}
