import assert from 'node:assert/strict'
import { createAuthClient } from 'better-auth/client'
import { organizationClient } from 'better-auth/client/plugins'
import { createAuthClient as createNewer } from 'better-auth-1.7/client'
import { organizationClient as newerOrganizations } from 'better-auth-1.7/client/plugins'
import { describe, it } from 'vitest'
import { Jar } from '../../processes/jar.ts'
import { listening } from '../../processes/listening.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { join, ORGANIZATIONS } from '../../service/organizations.ts'
import { people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { proven } from '../../service/staff.ts'

/** Has a cookie jar in place of the browser's. */
function browserAt(url: string) {
  const jar = new Jar()
  const customFetchImpl = (address: string | URL | Request, init?: RequestInit) =>
    jar.fetch(address, { origin: url, ...init })
  return { baseURL: `${url}/api/auth`, fetchOptions: { customFetchImpl } }
}

const withTeams = { teams: { enabled: true }, dynamicAccessControl: { enabled: true } } as const
const release16 = (url: string) => createAuthClient({ ...browserAt(url), plugins: [organizationClient(withTeams)] })
const release17 = (url: string) => createNewer({ ...browserAt(url), plugins: [newerOrganizations(withTeams)] })

interface Answered<Data> {
  readonly data: Data | null
  readonly error: { readonly status: number; readonly code?: string | undefined } | null
}

function got<Data>({ data, error }: Answered<Data>): Data {
  assert.equal(error, null, JSON.stringify(error))
  return data ?? assert.fail('no data')
}

function refused({ error }: Answered<unknown>): string | undefined {
  return error?.code
}

const BASE = { name: 'Rowers', slug: 'rowers' }

/** The calls are written out for each release, so that each is checked by the types that it publishes. */
const RELEASES = {
  1.6: async (url: string, service: Service) => {
    const { ann, ben } = await people(service)
    for (const person of [ann, ben]) await proven(service, person)
    const client = release16(url)
    const { organization } = client
    await client.signIn.email({ email: ann.email, password: ann.password })
    got(await organization.checkSlug({ slug: 'rowers' }))
    const made = got(await organization.create({ ...BASE, metadata: { tier: 'gold' } }))
    assert.deepEqual([made.metadata, made.members[0]?.role], [{ tier: 'gold' }, 'owner'])
    const session = got(await client.getSession())
    assert.equal(session.session.activeOrganizationId, made.id)
    got(await organization.update({ organizationId: made.id, data: { name: 'Rowing Club' } }))
    assert.deepEqual(
      got(await organization.list()).map(({ name }) => name),
      ['Rowing Club'],
    )
    const invitee = release16(url)
    await invitee.signIn.email({ email: ben.email, password: ben.password })
    const sent = got(await organization.inviteMember({ email: ben.email, role: ['member'] }))
    assert.deepEqual([sent.status, sent.role, sent.inviterId], ['pending', 'member', ann.id])
    assert.equal(
      refused(await organization.inviteMember({ email: ben.email, role: 'member' })),
      'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION',
    )
    const again = got(await organization.inviteMember({ email: ben.email, role: 'member', resend: true }))
    assert.equal(again.id, sent.id)
    assert.equal(got(await organization.listInvitations()).length, 1)
    const mine = got(await invitee.organization.listUserInvitations())
    assert.deepEqual([mine[0]?.id, mine[0]?.organizationName], [sent.id, 'Rowing Club'])
    const shown = got(await invitee.organization.getInvitation({ query: { id: sent.id } }))
    assert.deepEqual([shown.organizationSlug, shown.inviterEmail], ['rowers', ann.email])
    const turnedDown = got(await invitee.organization.rejectInvitation({ invitationId: sent.id }))
    assert.equal(turnedDown.invitation?.status, 'rejected')
    const second = got(await organization.inviteMember({ email: ben.email, role: 'member' }))
    got(await organization.cancelInvitation({ invitationId: second.id }))
    const third = got(await organization.inviteMember({ email: ben.email, role: 'member' }))
    const joined = got(await invitee.organization.acceptInvitation({ invitationId: third.id }))
    assert.deepEqual([joined.member.userId, joined.invitation.status], [ben.id, 'accepted'])
    assert.equal(got(await invitee.getSession()).session.activeOrganizationId, made.id)
    got(await invitee.organization.leave({ organizationId: made.id }))
    const memberId = await join(service, made, ben)
    const full = got(await organization.getFullOrganization({ query: { organizationSlug: 'rowers', membersLimit: 5 } }))
    assert.deepEqual(
      full.members.map(({ user }) => user.email),
      [ann.email, ben.email],
    )
    const listed = got(await organization.listMembers({ query: { limit: 1, offset: 1 } }))
    assert.deepEqual([listed.members[0]?.userId, listed.total], [ben.id, 2])
    assert.equal(got(await organization.getActiveMember()).user.email, ann.email)
    assert.equal(got(await organization.getActiveMemberRole({ query: { userId: ben.id } })).role, 'member')
    const role = got(await organization.createRole({ role: 'cox', permission: { member: ['update'] } }))
    assert.deepEqual(role.statements, { member: ['update'] })
    assert.equal(got(await organization.listRoles()).length, 5)
    assert.equal(got(await organization.getRole({ query: { roleName: 'cox' } })).id, role.roleData.id)
    got(await organization.updateRole({ roleName: 'cox', data: { permission: { team: ['create'] } } }))
    assert.equal(got(await organization.updateMemberRole({ memberId, role: ['member', 'cox'] })).role, 'member,cox')
    assert.equal(refused(await organization.deleteRole({ roleName: 'cox' })), 'ROLE_IS_ASSIGNED_TO_MEMBERS')
    assert.equal(got(await organization.hasPermission({ permissions: { organization: ['delete'] } })).success, true)
    assert.equal(organization.checkRolePermission({ role: 'admin', permissions: { organization: ['delete'] } }), false)
    const team = got(await organization.createTeam({ name: 'Eight' }))
    got(await organization.updateTeam({ teamId: team.id, data: { name: 'Four' } }))
    assert.deepEqual(
      got(await organization.listTeams()).map(({ name }) => name),
      ['Four'],
    )
    for (const userId of [ann.id, ben.id]) got(await organization.addTeamMember({ teamId: team.id, userId }))
    assert.equal(got(await organization.setActiveTeam({ teamId: team.id })).id, team.id)
    assert.equal(got(await client.getSession()).session.activeTeamId, team.id)
    assert.equal(got(await organization.listTeamMembers({ query: { teamId: team.id } })).length, 2)
    assert.equal(got(await organization.listUserTeams()).length, 1)
    got(await organization.removeTeamMember({ teamId: team.id, userId: ben.id }))
    await organization.setActiveTeam({ teamId: null })
    got(await organization.removeTeam({ teamId: team.id }))
    assert.equal(got(await organization.removeMember({ memberIdOrEmail: ben.email })).member.userId, ben.id)
    got(await organization.deleteRole({ roleName: 'cox' }))
    assert.equal(
      refused(await organization.leave({ organizationId: made.id })),
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
    )
    await organization.setActive({ organizationId: null })
    assert.equal(got(await client.getSession()).session.activeOrganizationId, null)
    assert.equal(got(await organization.setActive({ organizationSlug: 'rowers' })).id, made.id)
    got(await organization.delete({ organizationId: made.id }))
    assert.deepEqual(got(await organization.list()), [])
  },
  1.7: async (url: string, service: Service) => {
    const { ann, ben } = await people(service)
    for (const person of [ann, ben]) await proven(service, person)
    const client = release17(url)
    const { organization } = client
    await client.signIn.email({ email: ann.email, password: ann.password })
    got(await organization.checkSlug({ slug: 'rowers' }))
    const made = got(await organization.create({ ...BASE, metadata: { tier: 'gold' } }))
    assert.deepEqual([made.metadata, made.members[0]?.role], [{ tier: 'gold' }, 'owner'])
    const session = got(await client.getSession())
    assert.equal(session.session.activeOrganizationId, made.id)
    got(await organization.update({ organizationId: made.id, data: { name: 'Rowing Club' } }))
    assert.equal(got(await organization.getOrganization({ query: { organizationId: made.id } })).name, 'Rowing Club')
    assert.equal(got(await organization.list()).length, 1)
    const invitee = release17(url)
    await invitee.signIn.email({ email: ben.email, password: ben.password })
    const sent = got(await organization.inviteMember({ email: ben.email, role: ['member'] }))
    assert.deepEqual([sent.status, sent.role, sent.inviterId], ['pending', 'member', ann.id])
    assert.equal(
      refused(await organization.inviteMember({ email: ben.email, role: 'member' })),
      'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION',
    )
    const again = got(await organization.inviteMember({ email: ben.email, role: 'member', resend: true }))
    assert.equal(again.id, sent.id)
    assert.equal(got(await organization.listInvitations()).length, 1)
    const mine = got(await invitee.organization.listUserInvitations())
    assert.deepEqual([mine[0]?.id, mine[0]?.organizationName], [sent.id, 'Rowing Club'])
    const shown = got(await invitee.organization.getInvitation({ query: { id: sent.id } }))
    assert.deepEqual([shown.organizationSlug, shown.inviterEmail], ['rowers', ann.email])
    const turnedDown = got(await invitee.organization.rejectInvitation({ invitationId: sent.id }))
    assert.equal(turnedDown.invitation?.status, 'rejected')
    const second = got(await organization.inviteMember({ email: ben.email, role: 'member' }))
    got(await organization.cancelInvitation({ invitationId: second.id }))
    const third = got(await organization.inviteMember({ email: ben.email, role: 'member' }))
    const joined = got(await invitee.organization.acceptInvitation({ invitationId: third.id }))
    assert.deepEqual([joined.member.userId, joined.invitation.status], [ben.id, 'accepted'])
    assert.equal(got(await invitee.getSession()).session.activeOrganizationId, made.id)
    got(await invitee.organization.leave({ organizationId: made.id }))
    const memberId = await join(service, made, ben)
    const full = got(await organization.getFullOrganization({ query: { organizationSlug: 'rowers' } }))
    assert.deepEqual(
      full.members.map(({ user }) => user.email),
      [ann.email, ben.email],
    )
    assert.equal(got(await organization.listMembers({ query: { limit: 1 } })).total, 2)
    assert.equal(got(await organization.getActiveMember()).user.email, ann.email)
    assert.equal(got(await organization.getActiveMemberRole()).role, 'owner')
    const role = got(await organization.createRole({ role: 'cox', permission: { member: ['update'] } }))
    assert.equal(got(await organization.listRoles()).length, 5)
    assert.equal(got(await organization.getRole({ query: { roleId: role.roleData.id } })).role, 'cox')
    got(await organization.updateRole({ roleId: role.roleData.id, data: { roleName: 'helm' } }))
    assert.equal(got(await organization.updateMemberRole({ memberId, role: 'helm' })).role, 'helm')
    assert.equal(got(await organization.hasPermission({ permissions: { ac: ['read'] } })).success, true)
    const team = got(await organization.createTeam({ name: 'Eight' }))
    got(await organization.updateTeam({ teamId: team.id, data: { name: 'Four' } }))
    got(await organization.addTeamMember({ teamId: team.id, userId: ben.id }))
    assert.equal(got(await organization.listUserTeams({ query: { userId: ben.id } }))[0]?.name, 'Four')
    assert.equal(got(await organization.listTeams()).length, 1)
    assert.equal(got(await organization.listTeamMembers({ query: { teamId: team.id } })).length, 1)
    got(await organization.removeTeamMember({ teamId: team.id, userId: ben.id }))
    got(await organization.removeTeam({ teamId: team.id }))
    got(await organization.removeMember({ memberIdOrEmail: memberId }))
    got(await organization.deleteRole({ roleName: 'helm' }))
    got(await organization.setActive({ organizationId: made.id }))
    got(await organization.delete({ organizationId: made.id }))
  },
}

describe.for(Object.entries(RELEASES))('the published client %s', ([, walk]) => {
  it('makes every call about organisations, roles, teams and invitations, by its own types', async () => {
    await using service = await startService()
    await changeSettings(service, 'organizations', ORGANIZATIONS)
    await changeSettings(service, 'email', { provider: 'smtp' })
    await using server = await listening(service)

    await walk(server.url, service)
  })
})
