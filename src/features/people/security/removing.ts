import type { Compilable } from 'kysely'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { noticeToOwner, noticeToOwnerFromHost } from '../../delivery/mail/notices.ts'
import { type Act, actorOf, auditEntry, HOST } from '../../ground/audit/audit.ts'
import { deleteFactorsOf, recountFactors } from '../factors/statements.ts'
import { requireFresh } from '../sessions/freshness.ts'
import { endSecondStepsOf } from '../sessions/statements.ts'
import { findAdministrator, findUserByEmail } from '../users/statements.ts'
import { decideAboutUser, getUser } from '../users/users.ts'

/** For a user who has lost them: removes passkeys, authenticator app, backup codes and trusted devices. */
export async function removeFactors(call: SignedInCall, id: string): Promise<void> {
  requireFresh(call)
  const { platform } = call
  const user = await getUser(platform.meta, id)
  const act: Act = { action: 'factor.reset', subject: { type: 'user', id } }
  const letter = noticeToOwner(call, user, 'factors removed')
  await remove(platform, id, [auditEntry(platform, actorOf(call), act), ...letter])
}

/** By the operator on the host; for the administrator unless an address is given. Returns the address. */
export async function removeFactorsFromHost(platform: Platform, email: string | undefined) {
  const { meta } = platform
  const user =
    email === undefined ? await findAdministrator(meta) : await findUserByEmail(meta, email.toLowerCase())
  if (!user) throw new Refusal('NOT_FOUND', `There is no user with the address ${email}.`)
  const act: Act = {
    action: 'factor.reset',
    subject: { type: 'user', id: user.id },
    details: { from: 'host' },
  }
  const letter = noticeToOwnerFromHost(platform, user, 'factors removed')
  await remove(platform, user.id, [auditEntry(platform, HOST, act), ...letter])
  return { email: user.email }
}

async function remove(
  { meta }: Platform,
  userId: string,
  traces: readonly Compilable<unknown>[],
): Promise<void> {
  await decideAboutUser(meta, userId, [], async (decision) => {
    decision.write(
      ...deleteFactorsOf(meta, userId),
      ...recountFactors(meta, userId),
      ...endSecondStepsOf(meta, userId),
      ...traces,
    )
  })
}
