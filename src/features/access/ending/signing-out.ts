import { z } from 'zod'
import type { SignedInCall } from '../../../http/route.ts'
import { decideAboutUser } from '../../ground/acts/acts.ts'
import { leaveActive } from '../../people/sessions/accounts.ts'
import { decideSignedIn } from '../../people/sessions/sessions.ts'
import { sessionIdsOf } from '../../people/sessions/statements.ts'
import { endAccess } from './ending.ts'

export const RevokeOtherSessions = z.object({
  /** True to also end every grant, and every request for one. */
  tools: z.boolean().default(false),
})

export async function revokeSessions(call: SignedInCall) {
  const { platform } = call
  await decideSignedIn(call, [], async (act, user) => {
    endAccess(act, platform, 'signed out everywhere', user.id)
    act.record('session.revoke', { user, details: { which: 'all' }, letter: 'signed out everywhere' })
  })
  await leaveActive(call)
  return { status: true as const }
}

export async function revokeOtherSessions(call: SignedInCall, { tools }: z.output<typeof RevokeOtherSessions>) {
  const { platform, caller } = call
  const reason = tools ? 'signed out elsewhere with tools' : 'signed out elsewhere'
  const letter = tools ? 'signed out everywhere' : 'signed out elsewhere'
  await decideSignedIn(call, [], async (act, user) => {
    endAccess(act, platform, reason, user.id, caller.credential.id)
    act.record('session.revoke', { user, details: { which: 'others', tools }, letter })
  })
  return { status: true as const }
}

/** Signs the user out everywhere at once, including tools; returns how many sessions ended. */
export async function revokeUserSessions(call: SignedInCall, id: string): Promise<number> {
  const { platform } = call
  return decideAboutUser(call, id, [sessionIdsOf(platform.meta, id)], async (act, user, sessions) => {
    endAccess(act, platform, 'signed out by the administrator', id)
    act.record('user.revoke_sessions', { user, subject: { type: 'user', id } })
    return sessions.length
  })
}
