import { protectedRoute } from '../../../http/route.ts'
import { ChangeData, Data, OwnData, WhoseData } from '../product-data/input.ts'
import { getMembersData, getOrganizationData, updateMembersData, updateOrganizationData } from './data.ts'
import { ChangeMembersData, OneOrganizationsData } from './input.ts'

export const organizationDataRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/get_organization_data',
    summary: 'What the product keeps about an organisation, and what its members told it',
    scope: 'account:organizations:read',
    input: OneOrganizationsData,
    output: OwnData,
    handle: getMembersData,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/update_organization_data',
    summary: 'Change what an organisation tells the product, by a merge patch (RFC 7396)',
    scope: 'account:organizations:write',
    limit: 'organization-changes',
    input: ChangeMembersData,
    output: OwnData,
    handle: updateMembersData,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/get_organization_data',
    summary: 'All that the product keeps about an organisation',
    scope: 'admin:data:read',
    input: WhoseData,
    output: Data,
    handle: ({ platform }, { id }) => getOrganizationData(platform, id),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/update_organization_data',
    summary: 'Change what the product keeps about an organisation, by merge patches (RFC 7396)',
    scope: 'admin:data:write',
    input: ChangeData,
    output: Data,
    handle: updateOrganizationData,
  }),
] as const
