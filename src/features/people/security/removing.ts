import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { noticeToOwnerFromHostIf, noticeToOwnerIf } from '../../delivery/mail/notices/notices.ts'
import { type Act, type Actor, auditEntryIf } from '../../ground/audit/audit.ts'
import { deleteFactorsOf, recountFactors } from '../factors/statements.ts'
import { requireFresh } from '../sessions/freshness.ts'
import { endSecondStepsOf } from '../sessions/statements.ts'
import { userOnly } from '../users/statements.ts'
import { batchAboutUser, findAdministrator, findUserByEmail, getUser } from '../users/users.ts'

/** For a user who has lost them: removes passkeys, authenticator app, backup codes and trusted devices. */
export async function removeFactors(call: SignedInCall, actor: Actor, id: string): Promise<void> {
  requireFresh(call)
  const user = await getUser(call.platform.meta, id)
  const still = userOnly(call.platform.meta, id)
  await remove(call.platform, actor, id, await noticeToOwnerIf(call, user, 'factors removed', still))
}

/** By the operator on the host; for the administrator unless an address is given. Returns the address. */
export async function removeFactorsFromHost(platform: Platform, email: string | undefined) {
  const { meta } = platform
  const user =
    email === undefined ? await findAdministrator(meta) : await findUserByEmail(meta, email.toLowerCase())
  if (!user) throw new Refusal('NOT_FOUND', `There is no user with the address ${email}.`)
  const still = userOnly(meta, user.id)
  const letter = await noticeToOwnerFromHostIf(platform, user, 'factors removed', still)
  await remove(platform, { id: null, address: null }, user.id, letter)
  return { email: user.email }
}

async function remove(
  platform: Platform,
  actor: Actor,
  userId: string,
  letter: Awaited<ReturnType<typeof noticeToOwnerIf>>,
): Promise<void> {
  const { meta } = platform
  const user = userOnly(meta, userId)
  const act: Act = {
    action: 'factor.reset',
    subject: { type: 'user', id: userId },
    ...(actor.id === null && { details: { from: 'host' } }),
  }
  await batchAboutUser(meta, userId, [
    ...deleteFactorsOf(meta, user),
    ...recountFactors(meta, user),
    ...endSecondStepsOf(meta, user),
    auditEntryIf(platform, actor, act, user),
    ...letter,
  ])
}
