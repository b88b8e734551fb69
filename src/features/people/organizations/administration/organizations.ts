import type { OrganizationTable } from '../../../../database/schema/people/organizations.ts'
import type { SignedInCall } from '../../../../http/route.ts'
import { folded } from '../../../../rules/folded.ts'
import { newId } from '../../../../rules/ids.ts'
import { OWNER } from '../../../../rules/permissions.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { refuseColleague } from '../../../../rules/staff.ts'
import { decide } from '../../../ground/acts/acts.ts'
import { brandName } from '../../../ground/settings/brand/brand.ts'
import { settingsOf } from '../../../ground/settings/current-settings.ts'
import * as memberships from '../../memberships/statements.ts'
import { lockedUser } from '../../users/statements.ts'
import { unknownUser } from '../../users/users.ts'
import { newOrganization, newSlug, refuseCrowd } from '../creation.ts'
import { recordJoining } from '../invitations/answering.ts'
import { REMAINS_JOB } from '../remains.ts'
import { isReserved, undefinedIfSlugTaken } from '../slugs.ts'
import { decideAbout } from './deciding.ts'
import type { CreateOrganization, SuspendOrganization, UpdateOrganization } from './input.ts'

/** A slug that another once had can be given again here. */
export async function createOrganizationFor(call: SignedInCall, sent: CreateOrganization) {
  const { platform } = call
  const { meta } = platform
  const [id, now] = [newId(), platform.now()]
  const { name, slug = newSlug(name), owner_id: ownerId, seats = null } = sent
  await refuseReserved(call, slug)
  const row = { ...newOrganization({ id, slug, name, now }), seats }
  const first = [
    ownerId === undefined ? undefined : lockedUser(meta, ownerId),
    memberships.membershipsOf(meta, ownerId ?? ''),
    memberships.namedBySlug(meta, slug),
  ] as const
  await decide(call, first, async (act, [owner], held, named) => {
    if (ownerId !== undefined && !owner) throw unknownUser()
    if (owner) {
      refuseColleague(call.caller.user, owner)
      refuseCrowd(held)
    }
    if (named.length > 0) throw taken()
    const [made] = await act.read([memberships.insertOrganization(meta, row)])
    if (made.length === 0) throw taken()
    act.write(memberships.keepSlug(meta, slug, id))
    act.record('organization.create', {
      ...{ organizationId: id, subject: { type: 'organization', id } },
      details: { name, slug },
      data: { id, slug, name },
    })
    if (!owner) return
    const member = {
      ...{ id: newId(), organization_id: id, user_id: owner.id, roles: OWNER },
      ...{ created_at: now, last_active_at: 0 },
    }
    act.write(...memberships.addMember(meta, member))
    recordJoining(act, row, member, owner)
  })
  return { id, slug }
}

function taken(): Refusal {
  return new Refusal('ORGANIZATION_SLUG_ALREADY_TAKEN', 'This slug is taken.')
}

async function refuseReserved(call: SignedInCall, slug: string): Promise<void> {
  const { brand } = await settingsOf(call)
  if (isReserved(slug, brandName(call.platform.config, brand))) throw taken()
}

export async function updateOrganizationFor(call: SignedInCall, { id, ...sent }: UpdateOrganization): Promise<void> {
  const { meta, now } = call.platform
  const { name, slug, logo, seats } = sent
  if (slug !== undefined) await refuseReserved(call, slug)
  const changes: Partial<OrganizationTable> = {
    ...(name !== undefined && { name, folded_name: folded(name) }),
    ...(slug !== undefined && { slug }),
    ...(logo !== undefined && { logo }),
    ...(seats !== undefined && { seats }),
    updated_at: now(),
  }
  const named = slug === undefined ? undefined : memberships.namedBySlug(meta, slug)
  const updated = await decideAbout(call, id, [named], async (act, _chosen, found) => {
    if (found.some((other) => other.id !== id)) throw taken()
    if (slug !== undefined) act.write(memberships.keepSlug(meta, slug, id))
    act.write(memberships.updateOrganizationRow(meta, id, changes))
    act.record('organization.update', {
      ...{ organizationId: id, subject: { type: 'organization', id } },
      details: { fields: Object.keys(sent) },
      data: { id, ...sent },
    })
    return true
  }).catch(undefinedIfSlugTaken)
  if (!updated) throw taken()
}

/** Its members are refused with their next request; sessions and access stay for the day when it is restored. */
export async function suspendOrganization(call: SignedInCall, { id, reason }: SuspendOrganization): Promise<void> {
  const { meta, now } = call.platform
  await decideAbout(call, id, [], async (act, { organization }) => {
    const suspended_at = organization.suspended_at ?? now()
    const changes = { suspended_at, suspension_reason: reason, updated_at: now() }
    act.write(memberships.updateOrganizationRow(meta, id, changes), memberships.recountOwners(meta, id))
    const subject = { type: 'organization', id } as const
    act.record('organization.suspend', { organizationId: id, subject, details: { reason }, data: { id } })
  })
}

export async function restoreOrganization(call: SignedInCall, id: string): Promise<void> {
  const { meta, now } = call.platform
  await decideAbout(call, id, [], async (act, { organization }) => {
    if (organization.suspended_at === null) return
    const changes = { suspended_at: null, suspension_reason: null, updated_at: now() }
    act.write(memberships.updateOrganizationRow(meta, id, changes), memberships.recountOwners(meta, id))
    act.record('organization.restore', { organizationId: id, subject: { type: 'organization', id }, data: { id } })
  })
}

export async function deleteOrganizationFor(call: SignedInCall, id: string): Promise<void> {
  const { meta, now, background } = call.platform
  await decideAbout(call, id, [], async (act, { organization: { name, slug } }) => {
    act.write(...memberships.deleteOrganizationRow(meta, id, now()))
    const subject = { type: 'organization', id } as const
    act.record('organization.delete', { organizationId: id, subject, details: { name, slug }, data: { id } })
  })
  background.wake(REMAINS_JOB)
}
