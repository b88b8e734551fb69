import type { Query, Rows } from '../../../../database/decision.ts'
import type { OrganizationTable } from '../../../../database/schema/people/organizations.ts'
import type { UserTable } from '../../../../database/schema/people/users.ts'
import type { SignedInCall } from '../../../../http/route.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { refuseColleague } from '../../../../rules/staff.ts'
import type { Act, Refused } from '../../../ground/acts/acts.ts'
import { decideBySettings } from '../../../ground/settings/deciding.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import { ownRoles } from '../../memberships/permissions.ts'
import { ownRolesOf } from '../../memberships/role-statements.ts'
import { lockedOrganization } from '../../memberships/statements.ts'
import { lockedUser } from '../../users/statements.ts'
import { unknownUser } from '../../users/users.ts'
import type { Rules } from '../giving.ts'

export function unknownOrganization(): Refusal {
  return new Refusal('NOT_FOUND', 'This organisation does not exist.')
}

interface Chosen extends Rules {
  readonly organization: OrganizationTable
  readonly product: Settings['organizations']
}

/** A decision from outside about an organisation, which is locked. */
export function decideAbout<const Queries extends readonly Query[], T>(
  call: SignedInCall,
  id: string,
  first: Queries,
  work: (act: Act, chosen: Chosen, ...rows: Rows<Queries>) => Promise<T | Refused>,
): Promise<T> {
  return decideAboutBoth(call, { id, userId: undefined }, first, (act, chosen, _user, ...rows) =>
    work(act, chosen, ...rows),
  )
}

/** The same about a user in it, who is locked first. Staff change nothing of their colleagues. */
export function decideAboutMember<const Queries extends readonly Query[], T>(
  call: SignedInCall,
  about: { readonly id: string; readonly userId: string },
  first: Queries,
  work: (act: Act, chosen: Chosen, user: UserTable, ...rows: Rows<Queries>) => Promise<T | Refused>,
): Promise<T> {
  return decideAboutBoth(call, about, first, async (act, chosen, user, ...rows) => {
    if (!user) throw unknownUser()
    refuseColleague(call.caller.user, user)
    return work(act, chosen, user, ...rows)
  })
}

async function decideAboutBoth<const Queries extends readonly Query[], T>(
  call: SignedInCall,
  { id, userId }: { readonly id: string; readonly userId: string | undefined },
  first: Queries,
  work: (act: Act, chosen: Chosen, user: UserTable | undefined, ...rows: Rows<Queries>) => Promise<T | Refused>,
): Promise<T> {
  const { platform } = call
  const { meta } = platform
  const locks = [
    userId === undefined ? undefined : lockedUser(meta, userId),
    lockedOrganization(meta, id),
    ownRolesOf(meta, id),
  ] as const
  return decideBySettings(call, [...locks, ...first], async (act, settings, [user], [organization], ...rest) => {
    if (!organization) throw unknownOrganization()
    const [roles, ...rows] = rest
    const chosen = { organization, product: settings.organizations, own: ownRoles(roles) }
    return work(act, chosen, user, ...(rows as unknown as Rows<Queries>))
  })
}
