import type { UserTable } from '../../../database/schema/people/users.ts'
import { isStaff } from '../../../rules/staff.ts'
import type { Act, Doer } from '../../ground/acts/acts.ts'
import { administrator, setStaff } from '../users/statements.ts'

/** Ends the staffing of a user, who must be locked. */
export async function endStaff(act: Act, { platform, caller }: Doer, user: UserTable): Promise<void> {
  if (!isStaff(user)) return
  const { meta } = platform
  act.write(setStaff(meta, user.id, { staff_scopes: null, staff_since: null }))
  act.record('staff.remove', { user, subject: { type: 'user', id: user.id }, data: { by: caller?.user.id ?? null } })
  const reader = await act.first(administrator(meta))
  if (reader) act.record('staff.removed', { user: reader, name: namedInLetter(user) })
}

/** How the administrator's letter names a member. */
export function namedInLetter({ name, email }: UserTable): string {
  return name === '' || name === email ? email : `${name} (${email})`
}
