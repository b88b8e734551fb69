import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { decide } from '../../ground/acts/acts.ts'
import { formerAddress } from '../users/email-changes.ts'
import { findAdministrator, lockedUser, updateUserRow, userByEmail } from '../users/statements.ts'
import { refuseIfAddressTaken } from './creation.ts'

/**
 * The operator runs this on the host. Sessions stay, and the address counts as proven: who holds the host holds the
 * account. Returns the former address.
 */
export async function setAdministratorsAddress(platform: Platform, email: string): Promise<string> {
  const { meta, now } = platform
  const administrator = await findAdministrator(meta)
  if (!administrator) throw new Error('there is no administrator yet')
  const { id } = administrator
  return decide(
    { platform },
    [lockedUser(meta, id), userByEmail(meta.primary, email).select('id'), formerAddress(meta, email, now())],
    async (act, [user], [holder], [former]) => {
      if (!user) throw new Refusal('NOT_FOUND', 'The administrator is gone.')
      if (user.email === email) return email
      if (holder || former) throw new Refusal('USER_ALREADY_EXISTS', `Another user has the address ${email}.`)
      const renamed = user.name === user.email && { name: email }
      const email_proven_at = user.email_proven_at ?? now()
      act.write(updateUserRow(meta, id, { email, ...renamed, email_verified: 1, email_proven_at, updated_at: now() }))
      const subject = { type: 'user', id } as const
      act.record('administrator.set_address', { user, subject, details: { from: 'host' }, data: { email, ...renamed } })
      act.record('address.taken_up', { user: { id, email } })
      return user.email
    },
  ).catch(refuseIfAddressTaken)
}
