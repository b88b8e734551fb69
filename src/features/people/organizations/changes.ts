import type { OrganizationTable } from '../../../database/schema/people/organizations.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { folded } from '../../../rules/folded.ts'
import { changedData, isChanged, refuseTooLarge } from '../../../rules/product-data.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { brandName } from '../../ground/settings/brand/brand.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import * as memberships from '../memberships/statements.ts'
import type { Update } from './input.ts'
import { decideInside, idOf, require } from './inside.ts'
import { REMAINS_JOB } from './remains.ts'
import { countTriedSlug, isReserved, undefinedIfSlugTaken } from './slugs.ts'
import { wireOrganization } from './wire.ts'

export async function updateOrganization(call: SignedInCall, sent: Update) {
  const { platform, caller } = call
  const { meta, config } = platform
  const { slug, metadata } = sent.data
  refuseTooLarge('data.metadata', metadata)
  const organizationId = idOf(caller, sent)
  if (slug !== undefined && !(await isOwn(call, organizationId, slug))) await countTriedSlug(call)
  const { brand } = await settingsOf(call)
  const first = [
    slug === undefined ? undefined : memberships.namedBySlug(meta, slug),
    slug === undefined ? undefined : memberships.holderOfSlug(meta, slug),
  ] as const
  const updated = await decideInside(call, { organizationId }, first, async (act, inside, named, holders) => {
    require(inside, 'organization:update', 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION', 'Changing the organisation needs organization:update.')
    const before = inside.organization
    const data = metadata && changedData(before, { own: metadata }, 'replaced')
    const changes = { ...changesOf(sent, platform.now()), ...data?.row }
    if (slug !== undefined && slug !== before.slug) {
      const those = [...named.map(({ id }) => id), ...holders.map(({ organization_id }) => organization_id)]
      if (those.some((id) => id !== organizationId) || isReserved(slug, brandName(config, brand))) return undefined
      act.write(memberships.keepSlug(meta, slug, organizationId))
    }
    const about = { organizationId, subject: { type: 'organization', id: organizationId } } as const
    const details = { fields: Object.keys(sent.data) }
    act.write(memberships.updateOrganizationRow(meta, organizationId, changes))
    act.record('organization.update', { ...about, details, data: shownChanges(organizationId, sent) })
    if (data && isChanged(data.names)) act.record('organization.data_updated', { ...about, data: data.names })
    return { ...before, ...changes }
  }).catch(undefinedIfSlugTaken)
  if (updated) return wireOrganization(updated)
  throw new Refusal('ORGANIZATION_SLUG_ALREADY_TAKEN', 'This slug is taken.')
}

/** A form that sends all its fields also sends the slug that the organisation has; that tries none. */
async function isOwn({ platform, caller }: SignedInCall, organizationId: string, slug: string): Promise<boolean> {
  const { primary } = platform.meta
  const named = await primary.run(memberships.membershipNamed(primary, caller.user.id, slug))
  return named.some(({ id }) => id === organizationId)
}

function changesOf({ data: { name, slug, logo } }: Update, now: number): Partial<OrganizationTable> {
  return {
    ...(name !== undefined && { name, folded_name: folded(name) }),
    ...(slug !== undefined && { slug }),
    ...(logo !== undefined && { logo }),
    updated_at: now,
  }
}

/** What the members keep with the organisation is in no event. */
function shownChanges(id: string, { data: { metadata: _, ...shown } }: Update) {
  return { id, ...shown }
}

/** The answer comes once it is gone; its rows and the access given in it are deleted in the background. */
export async function deleteOrganization(call: SignedInCall, { organizationId }: { readonly organizationId: string }) {
  const { meta, now, background } = call.platform
  const deleted = await decideInside(call, { organizationId }, [], async (act, inside) => {
    require(inside, 'organization:delete', 'YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION', 'Deleting the organisation needs organization:delete.')
    act.write(...memberships.deleteOrganizationRow(meta, organizationId, now()))
    act.record('organization.delete', {
      ...{ organizationId, subject: { type: 'organization', id: organizationId } },
      details: { name: inside.organization.name, slug: inside.organization.slug },
      data: { id: organizationId },
    })
    return inside.organization
  })
  background.wake(REMAINS_JOB)
  return wireOrganization(deleted)
}
