import type { Query, Rows } from '../../../database/decision.ts'
import type { MemberTable, OrganizationTable } from '../../../database/schema/people/organizations.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { SignedInCall } from '../../../http/route.ts'
import type { Caller } from '../../../rules/caller.ts'
import { type OwnPermission, type Permission, permissionsOf } from '../../../rules/permissions.ts'
import { type Code, Refusal, signedOutMeanwhile } from '../../../rules/refusal.ts'
import type { Act, Refused } from '../../ground/acts/acts.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import { decideBySettings } from '../../ground/settings/deciding.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { notAMember, suspendedOrganization } from '../memberships/membership.ts'
import { ownRoles, permissionsIn } from '../memberships/permissions.ts'
import { ownRolesOf } from '../memberships/role-statements.ts'
import { lockedOrganization, memberOf, members, organizations } from '../memberships/statements.ts'
import { lockedSessionOf } from '../sessions/sessions.ts'
import { lockedUser } from '../users/statements.ts'
import type { Giver } from './giving.ts'

/** The caller as a member of an organisation, with what they may do there at this moment. */
export interface Inside {
  readonly organization: OrganizationTable
  readonly member: MemberTable
  readonly permissions: ReadonlySet<Permission>
}

/** By its id or its slug; without either, the one that is active. */
export interface Named {
  readonly organizationId?: string | null | undefined
  readonly organizationSlug?: string | undefined
}

export function rolesIn({ roles }: Pick<MemberTable, 'roles'>): readonly string[] {
  return roles.split(',')
}

export function noneActive(): Refusal {
  return new Refusal('NO_ACTIVE_ORGANIZATION', 'Name an organisation, or make one active first.')
}

/** The id that an act is about. An id that nobody has is looked up like any other. */
export function idOf({ organization }: Caller, { organizationId }: Named): string {
  const id = organizationId ?? organization?.id
  if (!id) throw noneActive()
  return id
}

/** For reading. Undefined if no organisation is named and none is active. */
export async function findInside(call: SignedInCall, named: Named): Promise<Inside | undefined> {
  const { platform, caller } = call
  const { meta } = platform
  const id = named.organizationId ?? (named.organizationSlug === undefined ? caller.organization?.id : undefined)
  if (id === undefined && named.organizationSlug === undefined) return undefined
  const organization = await organizations(meta.primary)
    .selectAll()
    .where((eb) => (id === undefined ? eb('slug', '=', named.organizationSlug ?? '') : eb('id', '=', id)))
    .executeTakeFirst()
  const member =
    organization &&
    (await members(meta.primary)
      .selectAll()
      .where('user_id', '=', caller.user.id)
      .where('organization_id', '=', organization.id)
      .executeTakeFirst())
  if (!organization || !member) throw notAMember()
  refuseElsewhere(caller, organization.id)
  if (organization.suspended_at !== null) throw suspendedOrganization()
  const held = { id: organization.id, roles: rolesIn(member), rolesToken: organization.roles_token }
  const permissions = await permissionsIn(platform, await settingsOf(call), held)
  return insideOf(organization, member, permissions)
}

/** A grant that acts in one organisation reaches no other organisation of its user. */
function refuseElsewhere({ credential, organization }: Caller, id: string): void {
  if (credential.kind === 'grant' && organization && organization.id !== id) throw notAMember()
}

export async function getInside(call: SignedInCall, named: Named): Promise<Inside> {
  const inside = await findInside(call, named)
  if (!inside) throw noneActive()
  return inside
}

function insideOf(organization: OrganizationTable, member: MemberTable, permissions: readonly Permission[]): Inside {
  return {
    organization,
    member,
    permissions: new Set(permissions),
  }
}

export function require(inside: Inside, permission: OwnPermission, code: Code, words: string): void {
  if (!inside.permissions.has(permission)) throw new Refusal(code, words)
}

export interface Decided extends Inside, Giver {
  readonly product: Settings['organizations']
  /** The other user whom the act is about; undefined if they have gone. */
  readonly other: UserTable | undefined
}

interface About {
  readonly organizationId: string
  /** Another user whose membership changes. */
  readonly userId?: string | undefined
  /** Suspended organisations can be left. */
  readonly even?: 'suspended'
}

/**
 * A decision of a member about their organisation. It locks the users concerned, by id, then the organisation, so that
 * members and roles stay as they are until the commit; the settings by which roles count are held too.
 */
export async function decideInside<const Queries extends readonly Query[], T>(
  call: SignedInCall,
  about: About,
  first: Queries,
  work: (act: Act, inside: Decided, ...rows: Rows<Queries>) => Promise<T | Refused>,
): Promise<T> {
  const { platform, caller } = call
  const { meta } = platform
  const { organizationId, userId = caller.user.id, even } = about
  refuseElsewhere(caller, organizationId)
  const [lower, higher] = [caller.user.id, userId].toSorted()
  const locks = [
    lockedUser(meta, lower ?? ''),
    lower === higher ? undefined : lockedUser(meta, higher ?? ''),
    caller.credential.kind === 'session' ? lockedSessionOf(meta, caller) : undefined,
    lockedOrganization(meta, organizationId),
    memberOf(meta, organizationId, caller.user.id),
    ownRolesOf(meta, organizationId),
  ] as const
  return decideBySettings(call, [...locks, ...first], async (act, settings, one, two, sessions, ...rest) => {
    const [[organization], [member], roles, ...rows] = rest
    const users = [...one, ...two]
    const isSignedIn = caller.credential.kind !== 'session' || sessions.length > 0
    if (!isSignedIn || !users.some(({ id }) => id === caller.user.id)) throw signedOutMeanwhile()
    if (!organization || !member) throw notAMember()
    if (organization.suspended_at !== null && even !== 'suspended') throw suspendedOrganization()
    const product = settings.organizations
    const own = ownRoles(roles)
    const held = rolesIn(member)
    const inside = insideOf(organization, member, permissionsOf(product, own, held))
    const other = users.find(({ id }) => id === userId)
    return work(act, { ...inside, product, own, held, other }, ...(rows as unknown as Rows<Queries>))
  })
}
