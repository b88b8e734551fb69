import { z } from 'zod'
import { Done } from '../../../../http/requests/body.ts'
import { protectedRoute } from '../../../../http/route.ts'
import { ReadById } from '../../../../rules/paging.ts'
import { invitesOwner } from '../invitations/inviting.ts'
import { readMembers, readOrganizations } from '../kept-by-products.ts'
import * as input from './input.ts'
import { addMember, changesOwnership, inviteMemberFor, removeMember, updateMember } from './members.ts'
import {
  createOrganizationFor,
  deleteOrganizationFor,
  restoreOrganization,
  suspendOrganization,
  updateOrganizationFor,
} from './organizations.ts'
import { getOrganizationFor, listMembersFor, listOrganizationsFor } from './reading.ts'

const READS = { method: 'POST', scope: 'admin:organizations:read' } as const
const WRITES = { method: 'POST', scope: 'admin:organizations:write' } as const

const organizationRoutes = [
  protectedRoute({
    ...READS,
    path: '/api/admin/list_organizations',
    summary: 'List or search the organisations, newest first',
    input: input.ListOrganizations,
    output: input.Organizations,
    handle: ({ platform }, filter) => listOrganizationsFor(platform, filter),
  }),
  protectedRoute({
    ...READS,
    path: '/api/admin/get_organization',
    summary: 'One organisation',
    input: input.OrganizationId,
    output: input.Organization,
    handle: ({ platform }, { id }) => getOrganizationFor(platform, id),
  }),
  protectedRoute({
    ...READS,
    path: '/api/admin/read_organizations',
    summary: 'Organisations as they are now, by ids or in the order of ids, for a product that keeps its own copy',
    input: ReadById,
    output: z.object({ items: z.array(input.ReadOrganization) }),
    handle: ({ platform }, wanted) => readOrganizations(platform, wanted),
  }),
  protectedRoute({
    ...WRITES,
    path: '/api/admin/create_organization',
    summary: 'Create an organisation; with an owner only in a fresh session',
    input: input.CreateOrganization,
    output: z.object({ id: z.string(), slug: z.string() }),
    limit: 'organization-changes',
    needsFreshSession: async (_call, { owner_id }) => owner_id !== undefined,
    handle: createOrganizationFor,
  }),
  protectedRoute({
    ...WRITES,
    path: '/api/admin/update_organization',
    summary: 'Change name, slug, logo or seats of an organisation',
    input: input.UpdateOrganization,
    output: Done,
    handle: updateOrganizationFor,
  }),
  protectedRoute({
    ...WRITES,
    path: '/api/admin/suspend_organization',
    summary: 'Suspend an organisation, with a reason; nobody can act in it until it is restored',
    input: input.SuspendOrganization,
    output: Done,
    handle: suspendOrganization,
  }),
  protectedRoute({
    ...WRITES,
    path: '/api/admin/restore_organization',
    summary: 'Restore a suspended organisation; all is as before',
    input: input.OrganizationId,
    output: Done,
    handle: (call, { id }) => restoreOrganization(call, id),
  }),
  protectedRoute({
    ...WRITES,
    path: '/api/admin/delete_organization',
    summary: 'Delete an organisation, and all access that was given in it; in a fresh session',
    input: input.OrganizationId,
    output: Done,
    needsFreshSession: async () => true,
    handle: (call, { id }) => deleteOrganizationFor(call, id),
  }),
] as const

const memberRoutes = [
  protectedRoute({
    ...READS,
    path: '/api/admin/list_organization_members',
    summary: 'List or search the members of an organisation, oldest first',
    input: input.ListOrganizationMembers,
    output: input.OrganizationMembers,
    handle: ({ platform }, filter) => listMembersFor(platform, filter),
  }),
  protectedRoute({
    ...READS,
    path: '/api/admin/read_members',
    summary: 'Members of organisations as they are now, by ids or in the order of ids',
    input: ReadById,
    output: z.object({ items: z.array(input.ReadMember) }),
    handle: ({ platform }, wanted) => readMembers(platform, wanted),
  }),
  protectedRoute({
    ...WRITES,
    path: '/api/admin/add_member',
    summary: 'Make a user a member of an organisation; an owner only in a fresh session',
    input: input.MemberWithRoles,
    output: Done,
    needsFreshSession: changesOwnership,
    handle: addMember,
  }),
  protectedRoute({
    ...WRITES,
    path: '/api/admin/update_member',
    summary: 'Replace the roles of a member; an owner’s only in a fresh session',
    input: input.MemberWithRoles,
    output: Done,
    needsFreshSession: changesOwnership,
    handle: updateMember,
  }),
  protectedRoute({
    ...WRITES,
    path: '/api/admin/remove_member',
    summary: 'Remove a member of an organisation; an owner only in a fresh session',
    input: input.MemberOf,
    output: Done,
    needsFreshSession: changesOwnership,
    handle: removeMember,
  }),
  protectedRoute({
    ...WRITES,
    path: '/api/admin/invite_member',
    summary: 'Invite somebody by letter to an organisation; an owner only in a fresh session',
    input: input.InviteMember,
    output: z.object({ id: z.string() }),
    limit: 'invitations',
    needsFreshSession: ({ platform }, sent) =>
      invitesOwner(platform, sent.organization_id, { ...sent, role: sent.roles }),
    handle: inviteMemberFor,
  }),
] as const

export const administrationRoutes = [...organizationRoutes, ...memberRoutes] as const
