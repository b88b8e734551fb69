import { z } from 'zod'
import { protectedRoute } from '../../../../http/route.ts'
import { idOf } from '../inside.ts'
import { WireMember } from '../wire.ts'
import { acceptInvitation, cancelInvitation, rejectInvitation } from './answering.ts'
import { InvitationId, Invite, ListInvitations, ListOwn, OneInvitation } from './input.ts'
import { inviteMember, invitesOwner } from './inviting.ts'
import { getInvitation, listInvitations, listOwnInvitations } from './reading.ts'
import { WireInvitation } from './wire.ts'

const BASE = '/api/auth/organization'
const READS = { method: 'GET', scope: 'account:organizations:read' } as const
const WRITES = { method: 'POST', scope: 'account:organizations:write', limit: 'organization-changes' } as const

export const invitationRoutes = [
  protectedRoute({
    ...WRITES,
    path: `${BASE}/invite-member`,
    summary: 'Invite somebody by letter to become a member; with resend, send it again for seven more days',
    limit: 'invitations',
    needsFreshSession: async ({ platform, caller }, sent) => invitesOwner(platform, idOf(caller, sent), sent),
    input: Invite,
    output: WireInvitation,
    handle: inviteMember,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/accept-invitation`,
    summary: 'Accept an invitation, by its id or by the secret of the letter’s link',
    input: OneInvitation,
    output: z.object({ invitation: WireInvitation, member: WireMember }),
    handle: acceptInvitation,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/reject-invitation`,
    summary: 'Reject an invitation, by its id or by the secret of the letter’s link',
    input: OneInvitation,
    output: z.object({ invitation: WireInvitation, member: z.null() }),
    handle: rejectInvitation,
  }),
  protectedRoute({
    ...WRITES,
    path: `${BASE}/cancel-invitation`,
    summary: 'Cancel a pending invitation',
    input: OneInvitation,
    output: WireInvitation,
    handle: cancelInvitation,
  }),
  protectedRoute({
    ...READS,
    path: `${BASE}/get-invitation`,
    summary: 'An invitation to the caller, with its organisation',
    input: InvitationId,
    output: WireInvitation.extend({
      organizationName: z.string(),
      organizationSlug: z.string(),
      inviterEmail: z.string(),
    }),
    handle: getInvitation,
  }),
  protectedRoute({
    ...READS,
    path: `${BASE}/list-invitations`,
    summary: 'The invitations of an organisation, newest first',
    input: ListInvitations,
    output: z.array(WireInvitation),
    handle: listInvitations,
  }),
  protectedRoute({
    ...READS,
    path: `${BASE}/list-user-invitations`,
    summary: 'The invitations that wait for the caller’s answer',
    input: ListOwn,
    output: z.array(WireInvitation.extend({ organizationName: z.string() })),
    handle: listOwnInvitations,
  }),
] as const
