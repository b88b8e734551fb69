import type { UserTable } from '../../../database/schema/people/users.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { isSynthetic } from '../../../rules/email.ts'
import { invalidInput, Refusal } from '../../../rules/refusal.ts'
import type { Scope } from '../../../rules/scopes.ts'
import { lacksRequiredFactor } from '../../../rules/second-factor.ts'
import { isStaff, MOST_MEMBERS, STAFF_SCOPES, staffScopesOf } from '../../../rules/staff.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { decideSignedIn } from '../sessions/sessions.ts'
import { lockedUser, setStaff } from '../users/statements.ts'
import { unknownUser } from '../users/users.ts'
import { endStaff, namedInLetter } from './ending.ts'
import type { UpdateStaff } from './input.ts'
import * as store from './store.ts'

/** Gives a user these scopes of administration in place of those held before; without any, ends the staffing. */
export async function updateStaff(call: SignedInCall, { user_id, scopes }: UpdateStaff): Promise<void> {
  const { meta } = call.platform
  const settings = await settingsOf(call)
  const read = [lockedUser(meta, user_id), store.countMembers(meta)] as const
  await decideSignedIn({ ...call, settings }, read, async (act, administrator, [user], [counted]) => {
    if (!user) throw unknownUser()
    if (user.role === 'administrator') throw new Refusal('FORBIDDEN', 'The administrator holds every scope.')
    if (scopes.length === 0) return endStaff(act, call, user)
    refuseUnfit(user, settings)
    if (!isStaff(user) && (counted?.members ?? 0) >= MOST_MEMBERS)
      throw new Refusal('QUOTA_EXCEEDED', `There can be ${MOST_MEMBERS} staff members. Remove one first.`)
    const wanted = STAFF_SCOPES.filter((scope) => scopes.includes(scope))
    if (wanted.join(' ') !== user.staff_scopes) give(act, call, { administrator, user, wanted })
  })
}

interface Given {
  readonly administrator: UserTable
  readonly user: UserTable
  readonly wanted: readonly Scope[]
}

function give(act: Act, { platform, caller }: SignedInCall, { administrator, user, wanted }: Given): void {
  const { meta, now } = platform
  const { id, staff_since } = user
  act.write(setStaff(meta, id, { staff_scopes: wanted.join(' '), staff_since: staff_since ?? now() }))
  const details = { scopes: wanted }
  const data = { by: caller.user.id, scopes: wanted }
  const about = { user, subject: { type: 'user', id }, details, data } as const
  const told = { user: administrator, name: namedInLetter(user) }
  if (isStaff(user)) {
    act.record('staff.update', about)
    act.record('staff.updated', told)
  } else {
    act.record('staff.add', about)
    act.record('staff.added', told)
  }
}

/** What the administrator must have before others are let in by them, a staff member must have too. */
function refuseUnfit(user: UserTable, { authentication }: Settings): void {
  const refuse = (message: string) => invalidInput('user_id', message)
  if (user.suspended_at !== null) throw refuse('This user is suspended.')
  if (user.email_proven_at === null || user.email_verified === 0 || isSynthetic(user.email))
    throw refuse('This user has not proven an email address.')
  const asMember = { ...user, staff_scopes: '' }
  if (lacksRequiredFactor(authentication, asMember)) throw refuse('This user needs a second factor first.')
}

export async function listStaff({ platform }: SignedInCall) {
  const rows = await store.members(platform.meta)
  const items = rows.map(({ id, email, name, staff_since, last_act_at, ...row }) => {
    return { user_id: id, email, name, scopes: [...staffScopesOf(row)], since: staff_since ?? 0, last_act_at }
  })
  return { items, total: items.length }
}
