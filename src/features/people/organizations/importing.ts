import type { Platform } from '../../../platform/platform.ts'
import { newId } from '../../../rules/ids.ts'
import type { JsonObject } from '../../../rules/json-object.ts'
import { isSharedRole, type Statements } from '../../../rules/permissions.ts'
import { changedData } from '../../../rules/product-data.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { decide } from '../../ground/acts/acts.ts'
import { brandName } from '../../ground/settings/brand/brand.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { remainsOf } from '../memberships/remains.ts'
import { insertRole } from '../memberships/role-statements.ts'
import * as memberships from '../memberships/statements.ts'
import { importTeam, insertTeamMember, teamOf } from '../memberships/team-statements.ts'
import { lockedUser } from '../users/statements.ts'
import { newOrganization, refuseCrowd } from './creation.ts'
import { isReserved } from './slugs.ts'

/** An organisation of another service. Its members come later. */
export interface IncomingOrganization {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly createdAt: number
  readonly logo?: string | null | undefined
  readonly own?: JsonObject | undefined
  readonly roles?: readonly { readonly role: string; readonly permissions: Statements }[] | undefined
  readonly teams?: readonly { readonly id: string; readonly name: string }[] | undefined
}

/** Returns false if the id or the slug is taken. It leaves out teams whose ids are taken. */
export async function importOrganization(platform: Platform, incoming: IncomingOrganization): Promise<boolean> {
  const { meta } = platform
  const { id, slug, name, createdAt: created_at, logo = null, own, roles = [], teams = [] } = incoming
  const { organizations: product, brand } = await currentSettings(platform)
  if (isReserved(slug, brandName(platform.config, brand))) return false
  const times = { created_at, updated_at: created_at }
  const data = own && changedData(undefined, { own }, 'replaced').row
  const row = { ...newOrganization({ id, slug, name, now: created_at }), logo, ...data }
  const taken = [memberships.namedBySlug(meta, slug), memberships.namedBySlug(meta, id), remainsOf(meta, id)] as const
  return decide({ platform }, taken, async (act, ...found) => {
    if (found.flat().length > 0) return false
    const [made] = await act.read([memberships.insertOrganization(meta, row)])
    if (made.length === 0) return false
    act.write(memberships.keepSlug(meta, slug, id))
    for (const { role, permissions } of roles)
      if (!isSharedRole(product, role)) {
        const ownRole = { id: newId(), organization_id: id, role, permissions: JSON.stringify(permissions), ...times }
        act.write(...insertRole(meta, ownRole))
      }
    for (const team of teams) act.write(importTeam(meta, { ...team, organization_id: id, ...times }))
    const about = { organizationId: id, subject: { type: 'organization', id } } as const
    act.record('organization.create', { ...about, details: { name, slug, from: 'import' }, data: { id, slug, name } })
    return true
  })
}

export interface IncomingMember {
  readonly organizationId: string
  readonly userId: string
  readonly roles: readonly string[]
  readonly createdAt?: number | undefined
  readonly teamIds?: readonly string[] | undefined
}

/** Returns why the user is not a member now, if so. */
export async function importMember(platform: Platform, incoming: IncomingMember): Promise<string | undefined> {
  const { meta, now } = platform
  const { organizationId, userId, roles, createdAt: created_at = now(), teamIds = [] } = incoming
  const chosen = [...new Set(teamIds)]
  const first = [
    lockedUser(meta, userId),
    memberships.lockedOrganization(meta, organizationId),
    memberships.membershipsOf(meta, userId),
  ] as const
  return decide({ platform }, first, async (act, [user], [organization], held) => {
    if (!user) return 'there is no such user'
    if (!organization) return 'there is no such organisation'
    if (held.some((row) => row.organization_id === organizationId)) return 'the user is a member already'
    if (isCrowded(held)) return 'the user is in as many organisations as one can be'
    const found = await act.read(chosen.map((id) => teamOf(meta, organizationId, id)))
    const member = {
      ...{ id: newId(), organization_id: organizationId, user_id: userId, roles: roles.join(',') },
      ...{ created_at, last_active_at: 0 },
    }
    const ofTeam = { user_id: userId, organization_id: organizationId, created_at }
    act.write(
      ...memberships.addMember(meta, member),
      ...found.flat().map(({ id }) => insertTeamMember(meta, { ...ofTeam, id: newId(), team_id: id })),
    )
    const data = { id: member.id, roles }
    const about = { organizationId, user, letter: undefined, subject: { type: 'user', id: userId } } as const
    act.record('member.add', { ...about, details: { roles, from: 'import' }, data })
    return undefined
  })
}

function isCrowded(held: Parameters<typeof refuseCrowd>[0]): boolean {
  try {
    refuseCrowd(held)
    return false
  } catch (error) {
    if (error instanceof Refusal) return true
    throw error
  }
}
