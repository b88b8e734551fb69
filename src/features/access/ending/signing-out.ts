import { z } from 'zod'
import { batchBehind } from '../../../database/guard.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { noticeToOwner, noticeToOwnerIf } from '../../delivery/mail/notices/notices.ts'
import { type Act, actorOf, auditEntry, auditEntryIf } from '../../ground/audit/audit.ts'
import { countAct } from '../../ground/limits/acts.ts'
import { clearSessionCookie } from '../../people/sessions/cookie.ts'
import { whileSignedIn } from '../../people/sessions/sessions.ts'
import { userOnly } from '../../people/users/statements.ts'
import { batchAboutUser, getUser } from '../../people/users/users.ts'
import { endAccess } from './ending.ts'

export const RevokeOtherSessions = z.object({
  /** Also end the connections of command-line tools, and pending requests for one. */
  tools: z.boolean().default(false),
})

export async function revokeSessions(call: SignedInCall) {
  const { platform, caller } = call
  const { meta } = platform
  const { id } = caller.user
  await batchBehind(meta, whileSignedIn(platform, caller), [
    ...endAccess(platform, 'signed out everywhere', userOnly(meta, id)).statements,
    auditEntry(platform, actorOf(call), { action: 'session.revoke', details: { which: 'all' } }),
    ...(await noticeToOwner(call, caller.user, 'signed out everywhere')),
  ])
  clearSessionCookie(call.exchange, platform.config)
  return { status: true as const }
}

export async function revokeOtherSessions(
  call: SignedInCall,
  { tools }: z.output<typeof RevokeOtherSessions>,
) {
  await countAct(call, 'others-signed-out')
  const { platform, caller } = call
  const { meta } = platform
  const { id } = caller.user
  const reason = tools ? 'signed out elsewhere with tools' : 'signed out elsewhere'
  await batchBehind(meta, whileSignedIn(platform, caller), [
    ...endAccess(platform, reason, userOnly(meta, id), caller.credential.id).statements,
    auditEntry(platform, actorOf(call), { action: 'session.revoke', details: { which: 'others', tools } }),
    ...(await noticeToOwner(call, caller.user, tools ? 'signed out everywhere' : 'signed out elsewhere')),
  ])
  return { status: true as const }
}

/** Signs the user out everywhere at once, including tools; returns how many sessions ended. */
export async function revokeUserSessions(call: SignedInCall, id: string): Promise<number> {
  await countAct(call, 'users-signed-out')
  const { platform } = call
  const { meta } = platform
  const user = await getUser(meta, id)
  const isThere = userOnly(meta, id)
  const ending = endAccess(platform, 'signed out by the administrator', isThere)
  const act: Act = { action: 'user.revoke_sessions', subject: { type: 'user', id } }
  const rows = await batchAboutUser(meta, id, [
    ...ending.statements,
    auditEntryIf(platform, actorOf(call), act, isThere),
    ...(await noticeToOwnerIf(call, user, 'signed out everywhere', isThere)),
  ])
  return rows.of(ending.sessions).length
}
