import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { type Doer, decideAboutUser } from '../../ground/acts/acts.ts'
import { deleteFactorsOf, recountFactors } from '../account/statements.ts'
import { endSecondStepsOf } from '../sessions/statements.ts'
import { findAdministrator, findUserByEmail } from '../users/statements.ts'

/** The operator runs this on the host. Without an address, it is about the administrator. Returns the address. */
export async function removeFactorsFromHost(platform: Platform, email: string | undefined) {
  const { meta } = platform
  const user = email === undefined ? await findAdministrator(meta) : await findUserByEmail(meta, email.toLowerCase())
  if (!user) throw new Refusal('NOT_FOUND', `There is no user with the address ${email}.`)
  await removeFactors({ platform }, user.id, { from: 'host' })
  return { email: user.email }
}

/** Helps a user who has lost them: removes passkeys, authenticator app, backup codes and trusted devices. */
export async function removeFactors(doer: Doer, id: string, details: Readonly<Record<string, string>> = {}) {
  const { meta } = doer.platform
  await decideAboutUser(doer, id, [], async (act, user) => {
    act.write(...deleteFactorsOf(meta, id), ...recountFactors(meta, id), ...endSecondStepsOf(meta, id))
    act.record('factor.reset', { user, subject: { type: 'user', id }, details })
  })
}
