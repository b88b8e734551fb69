import type { z } from 'zod'
import type { OrganizationTable } from '../../../database/schema/people/organizations.ts'
import type { ProtectedCall, SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import {
  changedData,
  type DataChange,
  dataOf,
  isChanged,
  ownDataOf,
  type ProductData,
} from '../../../rules/product-data.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { type Act, decide } from '../../ground/acts/acts.ts'
import * as memberships from '../memberships/statements.ts'
import type { ChangeData } from '../product-data/input.ts'
import type { ChangeMembersData, OneOrganizationsData } from './input.ts'
import { decideInside, getInside, require } from './inside.ts'

/** What every member sees. */
export async function getMembersData(call: SignedInCall, sent: z.output<typeof OneOrganizationsData>) {
  const { organization } = await getInside(call, { organizationId: sent.organization_id })
  return ownDataOf(organization)
}

export async function updateMembersData(
  call: SignedInCall,
  { organization_id, own }: z.output<typeof ChangeMembersData>,
) {
  return decideInside(call, { organizationId: organization_id }, [], async (act, inside) => {
    require(inside, 'organization:update', 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION', 'Changing the organisation needs organization:update.')
    return ownDataOf(save({ act, platform: call.platform }, inside.organization, { own }))
  })
}

export async function getOrganizationData({ meta }: Platform, id: string) {
  const row = await memberships.organizationDataOf(meta.primary, id).executeTakeFirst()
  if (!row) throw unknownOrganization()
  return dataOf(row)
}

export async function updateOrganizationData(call: ProtectedCall, { id, ...change }: ChangeData) {
  const { platform } = call
  return decide(call, [memberships.lockedOrganization(platform.meta, id)], async (act, [row]) => {
    if (!row) throw unknownOrganization()
    return dataOf(save({ act, platform }, row, change))
  })
}

/** The organisation must be locked. */
function save({ act, platform }: Saving, before: OrganizationTable, change: DataChange): ProductData {
  const { id } = before
  const { row, names } = changedData(before, change)
  if (!isChanged(names)) return row
  act.write(memberships.updateOrganizationRow(platform.meta, id, row))
  act.record('organization.update_data', {
    ...{ organizationId: id, subject: { type: 'organization', id } },
    details: { changed: Object.keys(names) },
    data: names,
  })
  return row
}

interface Saving {
  readonly act: Act
  readonly platform: Platform
}

function unknownOrganization(): Refusal {
  return new Refusal('NOT_FOUND', 'This organisation does not exist.')
}
