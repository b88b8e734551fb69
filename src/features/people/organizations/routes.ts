import { z } from 'zod'
import { Nothing } from '../../../http/requests/body.ts'
import { protectedRoute, sessionRoute } from '../../../http/route.ts'
import { Statements } from '../../../rules/permissions.ts'
import { setActiveOrganization, setActiveTeam } from './active.ts'
import { administrationRoutes } from './administration/routes.ts'
import { deleteOrganization, updateOrganization } from './changes.ts'
import { createOrganization } from './creation.ts'
import * as input from './input.ts'
import { invitationRoutes } from './invitations/routes.ts'
import { WireInvitation } from './invitations/wire.ts'
import { changesOwnership, leaveOrganization, removeMember, takesOwnership, updateMemberRole } from './members.ts'
import * as reading from './reading.ts'
import { createRole, deleteRole, getRole, listRoles, updateRole } from './roles.ts'
import { checkSlug } from './slugs.ts'
import * as teams from './teams.ts'
import { WireMember, WireMemberWithUser, WireOrganization, WireRole, WireTeam, WireTeamMember } from './wire.ts'

const BASE = '/api/auth/organization'
const READS = { scope: 'account:organizations:read' } as const
const WRITES = { method: 'POST', scope: 'account:organizations:write', limit: 'organization-changes' } as const
const Succeeded = z.object({ success: z.literal(true) })
const Message = z.object({ message: z.string() })

const organizationRoutes = [
  protectedRoute({
    ...WRITES,
    path: `${BASE}/create`,
    summary: 'Create an organisation, whose owner the caller becomes',
    limit: 'organizations-created',
    input: input.Create,
    output: WireOrganization.extend({ members: z.array(WireMember) }),
    handle: createOrganization,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/update`,
    summary: 'Change name, slug, logo or metadata of an organisation',
    input: input.Update,
    output: WireOrganization,
    handle: updateOrganization,
  }),
  sessionRoute({
    method: 'POST',
    path: `${BASE}/delete`,
    summary: 'Delete an organisation',
    limit: 'organization-changes',
    needsFreshSession: true,
    input: input.OneOrganization,
    output: WireOrganization,
    handle: deleteOrganization,
  }),
  protectedRoute({
    ...READS,
    method: 'POST',
    path: `${BASE}/check-slug`,
    summary: 'See whether a slug is free',
    limit: 'slug-checks',
    input: input.CheckSlug,
    output: z.object({ status: z.literal(true) }),
    handle: checkSlug,
  }),
  protectedRoute({
    ...READS,
    method: 'GET',
    path: `${BASE}/list`,
    summary: 'The organisations of the caller',
    input: Nothing,
    output: z.array(WireOrganization.extend({ role: z.string(), suspended: z.boolean() })),
    handle: reading.listOrganizations,
  }),
  protectedRoute({
    ...READS,
    method: 'GET',
    path: `${BASE}/get-organization`,
    summary: 'An organisation of the caller; null if none is named or active',
    input: input.Named,
    output: WireOrganization.nullable(),
    handle: reading.getOrganization,
  }),
  protectedRoute({
    ...READS,
    method: 'GET',
    path: `${BASE}/get-full-organization`,
    summary: 'The same with members, invitations and teams',
    input: input.GetFull,
    output: WireOrganization.extend({
      members: z.array(WireMemberWithUser),
      invitations: z.array(WireInvitation),
      teams: z.array(WireTeam),
    }).nullable(),
    handle: reading.getFullOrganization,
  }),
  sessionRoute({
    method: 'POST',
    path: `${BASE}/set-active`,
    summary: 'Make an organisation the active one of this session; null for none',
    limit: 'organization-changes',
    input: input.Named,
    output: WireOrganization.nullable(),
    handle: setActiveOrganization,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/leave`,
    summary: 'Leave an organisation',
    input: input.OneOrganization,
    output: WireMember,
    handle: leaveOrganization,
  }),
] as const

const memberRoutes = [
  protectedRoute({
    ...READS,
    method: 'GET',
    path: `${BASE}/list-members`,
    summary: 'The members of an organisation, oldest first',
    input: input.ListMembers,
    output: z.object({ members: z.array(WireMemberWithUser), total: z.int() }),
    handle: reading.listMembers,
  }),
  protectedRoute({
    ...READS,
    method: 'GET',
    path: `${BASE}/get-active-member`,
    summary: 'The caller as a member of the active organisation',
    input: Nothing,
    output: WireMemberWithUser,
    handle: reading.getActiveMember,
  }),
  protectedRoute({
    ...READS,
    method: 'GET',
    path: `${BASE}/get-active-member-role`,
    summary: 'The roles of the caller, or of another member',
    input: input.MemberRole,
    output: z.object({ role: z.string() }),
    handle: reading.getMemberRole,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/remove-member`,
    summary: 'Remove a member',
    needsFreshSession: takesOwnership,
    input: input.RemoveMember,
    output: z.object({ member: WireMember }),
    handle: removeMember,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/update-member-role`,
    summary: 'Replace the roles of a member',
    needsFreshSession: changesOwnership,
    input: input.UpdateMemberRole,
    output: WireMember,
    handle: updateMemberRole,
  }),
  protectedRoute({
    ...READS,
    method: 'POST',
    path: `${BASE}/has-permission`,
    summary: 'See whether the caller has these permissions',
    input: input.HasPermission,
    output: z.object({ error: z.null(), success: z.boolean() }),
    handle: reading.hasPermission,
  }),
] as const

const roleRoutes = [
  protectedRoute({
    ...WRITES,
    path: `${BASE}/create-role`,
    summary: 'Make a role of one organisation',
    input: input.CreateRole,
    output: Succeeded.extend({ roleData: WireRole, statements: Statements }),
    handle: createRole,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/update-role`,
    summary: 'Change what a role of the organisation allows, or its name',
    input: input.UpdateRole,
    output: Succeeded.extend({ roleData: WireRole }),
    handle: updateRole,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/delete-role`,
    summary: 'Delete a role of the organisation that nobody holds',
    input: input.RoleOf,
    output: Succeeded,
    handle: deleteRole,
  }),
  protectedRoute({
    ...READS,
    method: 'GET',
    path: `${BASE}/list-roles`,
    summary: 'The roles of an organisation: built in, of the settings, and its own',
    input: input.InOrganization,
    output: z.array(WireRole),
    handle: listRoles,
  }),
  protectedRoute({
    ...READS,
    method: 'GET',
    path: `${BASE}/get-role`,
    summary: 'One role, by name or id',
    input: input.RoleOf,
    output: WireRole,
    handle: getRole,
  }),
] as const

const teamRoutes = [
  protectedRoute({
    ...WRITES,
    path: `${BASE}/create-team`,
    summary: 'Make a team, a named group without rights',
    input: input.CreateTeam,
    output: WireTeam,
    handle: teams.createTeam,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/update-team`,
    summary: 'Rename a team',
    input: input.UpdateTeam,
    output: WireTeam,
    handle: teams.updateTeam,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/remove-team`,
    summary: 'Delete a team',
    input: input.OneTeam,
    output: Message,
    handle: teams.removeTeam,
  }),
  protectedRoute({
    ...READS,
    method: 'GET',
    path: `${BASE}/list-teams`,
    summary: 'The teams of an organisation',
    input: input.InOrganization,
    output: z.array(WireTeam),
    handle: teams.listTeams,
  }),
  sessionRoute({
    method: 'POST',
    path: `${BASE}/set-active-team`,
    summary: 'Make a team the active one of this session; null for none',
    limit: 'organization-changes',
    input: input.SetActiveTeam,
    output: WireTeam.nullable(),
    handle: setActiveTeam,
  }),
  protectedRoute({
    ...READS,
    method: 'GET',
    path: `${BASE}/list-user-teams`,
    summary: 'The teams that the caller, or another member, is in',
    input: input.ListUserTeams,
    output: z.array(WireTeam),
    handle: teams.listUserTeams,
  }),
  protectedRoute({
    ...READS,
    method: 'GET',
    path: `${BASE}/list-team-members`,
    summary: 'Who is in a team, oldest first',
    input: input.ListTeamMembers,
    output: z.array(WireTeamMember),
    handle: teams.listTeamMembers,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/add-team-member`,
    summary: 'Add a member to a team',
    input: input.TeamMember,
    output: WireTeamMember,
    handle: teams.addTeamMember,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/remove-team-member`,
    summary: 'Take a member from a team',
    input: input.TeamMember,
    output: Message,
    handle: teams.removeTeamMember,
  }),
] as const

export const organizationsRoutes = [
  ...organizationRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...roleRoutes,
  ...teamRoutes,
  ...administrationRoutes,
] as const
