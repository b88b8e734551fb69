import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { setVerified, verified } from '../users/statements.ts'

/** Marks the address of a user as proven who has shown that they read its mail. */
export function proveAddress(act: Act, { meta, now }: Platform, user: UserTable): UserTable {
  const proven = verified(user, now())
  if (user.email_verified === 0) act.record('user.verified', { user })
  act.write(setVerified(meta, proven))
  return proven
}
