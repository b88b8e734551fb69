import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { actAs } from '../../../../../test/service/acting.ts'
import { assertRefused } from '../../../../../test/service/answers.ts'
import { changeSettings } from '../../../../../test/service/change-settings.ts'
import { grantFor } from '../../../../../test/service/grants.ts'
import { itWith } from '../../../../../test/service/it.ts'
import { invited, join, ORGANIZATIONS, organizationOf, wire } from '../../../../../test/service/organizations.ts'
import { newcomer, type Person, stranger } from '../../../../../test/service/people.ts'
import { onStaff, proven } from '../../../../../test/service/staff.ts'
import { WITH_MAIL } from '../../../../../test/service/with-mail.ts'

const it = itWith({ ...WITH_MAIL, organizations: ORGANIZATIONS }).extend<{ owner: Person }>({
  owner: async ({ service, ann }, use) => {
    await proven(service, ann)
    await use(ann)
  },
})

const DORA = 'dora@example.com'

describe('an invitation', () => {
  it('is sent by letter, and makes who accepts it a member, active in their session', async ({
    service,
    owner,
    ben,
  }) => {
    const { id } = await organizationOf(owner, { name: 'Rowing Club' })
    await proven(service, ben)
    const { body: team } = await wire(owner).post('create-team', { name: 'Eight' })

    const sent = await wire(owner).post('invite-member', {
      email: ben.email,
      role: ['member', 'editor'],
      teamId: team.id,
    })
    const accepted = await wire(ben).post('accept-invitation', { invitationId: sent.body.id })

    assert.equal(sent.status, 200)
    assert.deepEqual(
      [sent.body.role, sent.body.status, sent.body.teamId, sent.body.inviterId],
      ['member,editor', 'pending', team.id, owner.id],
    )
    assert.equal(accepted.status, 200)
    assert.deepEqual([accepted.body.invitation.status, accepted.body.member.role], ['accepted', 'member,editor'])
    const { session } = (await ben.get('/api/auth/get-session')).body
    assert.deepEqual([session.activeOrganizationId, session.activeTeamId], [id, team.id])
    const [letter] = await service.mail.sentTo(ben.email)
    assert.match(letter?.subject ?? '', /^Invitation to Rowing Club/)
    assert.match(letter?.text ?? '', new RegExp(owner.email))
  })

  it('is accepted by its link, which proves the address', async ({ service, owner, ben }) => {
    const { id } = await organizationOf(owner)
    const { invitationId, link } = await invited(service, owner, ben.email)
    assertRefused(
      await wire(ben).post('accept-invitation', { invitationId }),
      'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION',
    )

    const { status, body } = await wire(ben).post('accept-invitation', { invitationId: link })

    assert.deepEqual([status, body.member.organizationId], [200, id])
    assert.equal((await ben.get('/api/auth/get-session')).body.user.emailVerified, true)
  })

  it('proves no address by its link while the administrator acts as the user', async ({
    service,
    administrator,
    owner,
    ben,
  }) => {
    await changeSettings(service, 'authentication', { impersonation: 'read_and_write' })
    await organizationOf(owner)
    const { link } = await invited(service, owner, ben.email)
    await actAs(administrator, ben, { write: true })

    assertRefused(
      await wire(administrator).post('accept-invitation', { invitationId: link }),
      'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION',
    )
    assert.equal((await ben.get('/api/auth/get-session')).body.user.emailVerified, false)
  })

  it('makes account, membership and session of somebody who has none, by its link', async ({
    service,
    administrator,
    owner,
  }) => {
    const { id, slug } = await organizationOf(owner)
    await administrator.saveSettings('authentication', { registration_enabled: false })
    const { link } = await invited(service, owner, DORA)
    const dora = stranger(service, DORA)
    const shown = await dora.post('/api/auth/show-invitation', { email: DORA, link })
    assert.deepEqual(
      [shown.body.organization.slug, shown.body.inviter.email, shown.body.hasAccount],
      [slug, owner.email, false],
    )

    const joined = await dora.post('/api/auth/accept-invitation', {
      email: DORA,
      link,
      password: dora.password,
      name: 'Dora',
    })

    assert.deepEqual([joined.status, joined.body], [200, { success: true }])
    assert.ok(joined.headers.get('set-auth-token'))
    const { session, user } = (await dora.get('/api/auth/get-session')).body
    assert.deepEqual([session.activeOrganizationId, user.name, user.emailVerified], [id, 'Dora', true])
    const again = await dora.post('/api/auth/accept-invitation', { email: DORA, link, password: dora.password })
    assertRefused(again, 'INVITATION_NOT_FOUND')
  })

  it('makes no account of somebody who has one, or whose domain may not sign up', async ({
    service,
    administrator,
    owner,
    ben,
  }) => {
    await organizationOf(owner)
    const { link } = await invited(service, owner, ben.email)
    const accept = (email: string, secret: string) =>
      stranger(service).post('/api/auth/accept-invitation', { email, link: secret, password: 'an owl under the roof' })
    assertRefused(await accept(ben.email, link), 'USER_ALREADY_EXISTS')
    const other = await invited(service, owner, DORA)
    assertRefused(await accept('other@example.com', other.link), 'INVALID_OTP')
    await administrator.saveSettings('authentication', { email_signup_domain_allowlist: ['corp.example'] })
    assertRefused(await accept(DORA, other.link), 'EMAIL_DOMAIN_NOT_ALLOWED')
  })

  it('is one for each address; sent again it is the same for seven more days, and earlier links are good', async ({
    service,
    owner,
    ben,
  }) => {
    await organizationOf(owner)
    const first = await invited(service, owner, ben.email)
    assertRefused(
      await wire(owner).post('invite-member', { email: ben.email, role: 'member' }),
      'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION',
    )
    service.clock.advance({ hours: 6 * 24 })
    await owner.signIn()
    const again = await wire(owner).post('invite-member', {
      ...{ email: ben.email, role: 'member', resend: true },
      organizationId: first.organizationId,
    })
    service.clock.advance({ hours: 6 * 24 })
    await ben.signIn()

    assert.equal(again.body.id, first.invitationId)
    assert.equal((await wire(ben).post('accept-invitation', { invitationId: first.link })).status, 200)
  })

  it('is rejected, or canceled, once', async ({ service, owner, ben }) => {
    await organizationOf(owner)
    await proven(service, ben)
    const first = await invited(service, owner, ben.email)
    const rejected = await wire(ben).post('reject-invitation', { invitationId: first.invitationId })
    assert.deepEqual([rejected.body.invitation.status, rejected.body.member], ['rejected', null])
    assertRefused(await wire(ben).post('accept-invitation', { invitationId: first.link }), 'INVITATION_NOT_FOUND')
    const second = await invited(service, owner, ben.email)
    const canceled = await wire(owner).post('cancel-invitation', { invitationId: second.invitationId })
    assert.equal(canceled.body.status, 'canceled')
    assertRefused(await wire(ben).post('accept-invitation', second), 'INVITATION_NOT_FOUND')
    assertRefused(await wire(owner).post('cancel-invitation', second), 'INVITATION_NOT_FOUND')
  })

  it('whose inviter could not send it now is as if canceled', async ({ service, owner, ben }) => {
    const made = await organizationOf(owner)
    await proven(service, ben)
    const member = await join(service, made, ben, 'admin')
    await wire(ben).post('set-active', { organizationId: made.id })
    const { link, invitationId } = await invited(service, ben, DORA)
    const statusOf = async () =>
      (await wire(owner).get('list-invitations')).body.find((each: { id: string }) => each.id === invitationId)?.status
    const role = (role: string) => wire(owner).post('update-member-role', { memberId: member, role })
    const dora = await newcomer(service, DORA)
    assert.equal(await statusOf(), 'pending')
    await role('member')
    assert.equal(await statusOf(), 'canceled')
    assertRefused(await wire(dora).post('accept-invitation', { invitationId: link }), 'INVITATION_NOT_FOUND')
    await role('admin')
    assert.equal((await wire(dora).post('accept-invitation', { invitationId: link })).status, 200)
  })

  it('goes 30 days after its end', async ({ service, owner }) => {
    await organizationOf(owner)
    const ended = await invited(service, owner, 'eva@example.com')
    await wire(owner).post('cancel-invitation', ended)
    await invited(service, owner, DORA)
    const left = async () => {
      await service.runJob('invitation-sweep')
      return (await service.platform.meta.selectFrom('organization_invitation').select('email').execute()).length
    }
    service.clock.advance({ hours: 29 * 24 })
    assert.equal(await left(), 2)
    service.clock.advance({ hours: 2 * 24 })
    assert.equal(await left(), 1)
    service.clock.advance({ hours: 7 * 24 })
    assert.equal(await left(), 0)
  })
})

describe('the letter of an invitation', () => {
  it('makes no markup and no link of what others have written', async ({ service, owner }) => {
    await owner.post('/api/auth/update-user', { name: `Win at https://evil.example/x <b>now</b> ${'a'.repeat(200)}` })
    await organizationOf(owner, { name: '<img src=x> Bank evil.example' })
    await invited(service, owner, DORA)
    const [{ subject = '', text = '', html = '' } = {}] = await service.mail.sentTo(DORA)
    for (const part of [subject, text, html]) {
      assert.doesNotMatch(part, /evil\.example/)
      assert.doesNotMatch(part, /https:\/\/evil|a{100}/)
    }
    assert.doesNotMatch(html, /<img src=x|<b>now/)
    assert.deepEqual(
      [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replace(/#.*/, '')),
      [`${service.config.baseUrl}/invitation`, 'mailto:admin@example.com'],
    )
  })
})

describe('132. inviting', () => {
  it('gives no role with more than the inviter has, and ownership only from owners in a fresh session', async ({
    service,
    administrator,
    owner,
    ben,
  }) => {
    await administrator.saveSettings('organizations', {
      roles: { editor: { project: ['create'] }, host: { invitation: ['create'] } },
    })
    const made = await organizationOf(owner)
    await proven(service, ben)
    await join(service, made, ben, 'host')
    const asBen = (role: string | string[]) =>
      wire(ben).post('invite-member', { email: DORA, role, organizationId: made.id })
    for (const role of ['owner', 'admin', 'editor', ['member', 'owner']])
      assertRefused(await asBen(role), 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE')
    assertRefused(await asBen('nothing'), 'ROLE_NOT_FOUND')
    assert.equal((await asBen('host')).status, 200)

    service.clock.advance({ minutes: 16 })
    const asOwner = (more: object) =>
      wire(owner).post('invite-member', { email: 'eva@example.com', role: 'owner', ...more })
    assertRefused(await asOwner({}), 'SESSION_NOT_FRESH')
    await owner.post('/api/auth/confirm', { password: owner.password })
    assert.equal((await asOwner({})).status, 200)
    service.clock.advance({ minutes: 16 })
    assertRefused(await asOwner({ role: 'member', resend: true }), 'SESSION_NOT_FRESH')
    const again = await wire(ben).post('invite-member', {
      ...{ email: 'eva@example.com', role: 'host', resend: true, organizationId: made.id },
    })
    assertRefused(again, 'SESSION_NOT_FRESH')
    await ben.post('/api/auth/confirm', { password: ben.password })
    assertRefused(
      await wire(ben).post('invite-member', {
        email: 'eva@example.com',
        role: 'host',
        resend: true,
        organizationId: made.id,
      }),
      'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE',
    )
  })

  it('needs a proven address, the permission, a provider of mail, and an address that is no member’s', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const made = await organizationOf(ann)
    const invite = (person: Person, email = DORA) =>
      wire(person).post('invite-member', { email, role: 'member', organizationId: made.id })
    assertRefused(await invite(ann), 'EMAIL_NOT_VERIFIED')
    await proven(service, ann)
    await join(service, made, ben)
    assertRefused(await invite(ben), 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION')
    assertRefused(await invite(ann, ben.email.toUpperCase()), 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
    assertRefused(await invite(ann, 'nobody@community.local'), 'EMAIL_DOMAIN_NOT_ALLOWED')
    await administrator.saveSettings('email', { provider: null })
    assertRefused(await invite(ann), 'EMAIL_PROVIDER_UNAVAILABLE')
  })

  it('takes a seat, which it is refused without, while accepting never is', async ({
    service,
    administrator,
    owner,
    ben,
  }) => {
    await administrator.saveSettings('organizations', { seats: 2 })
    await organizationOf(owner)
    const { link } = await invited(service, owner, ben.email)
    assertRefused(
      await wire(owner).post('invite-member', { email: DORA, role: 'member' }),
      'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED',
    )
    await administrator.saveSettings('organizations', { seats: 1 })
    assert.equal((await wire(ben).post('accept-invitation', { invitationId: link })).status, 200)
  })

  it('sends 200 letters a day for one inviter, and 12 to one address', async ({ service, owner }) => {
    await organizationOf(owner)
    const first = await invited(service, owner, DORA)
    const again = () => wire(owner).post('invite-member', { email: DORA, role: 'member', resend: true })
    for (let i = 0; i < 12; i++) assert.equal((await again()).status, 200)
    assert.equal((await service.mail.sentTo(DORA)).length, 12)
    await service.platform.keyValue.increment(`limit:inviter-letters:${owner.id}`, 60, 200)
    assertRefused(await again(), 'TOO_MANY_LETTERS')
    assert.ok(first.link)
  })

  it('shows invitations to those alone who can send them', async ({ service, owner, ben }) => {
    const made = await organizationOf(owner)
    await join(service, made, ben)
    await invited(service, owner, DORA)
    const here = { organizationId: made.id }
    assert.equal((await wire(owner).get('get-full-organization', here)).body.invitations.length, 1)
    assert.deepEqual((await wire(ben).get('get-full-organization', here)).body.invitations, [])
    assertRefused(await wire(ben).get('list-invitations', here), 'YOU_ARE_NOT_ALLOWED_TO_LIST_INVITATIONS')
  })
})

describe('132. an invitation that was sent', () => {
  it('gives no more than its sender could give now, whatever its roles have become', async ({
    service,
    administrator,
    owner,
    ben,
  }) => {
    const made = await organizationOf(owner)
    await proven(service, ben)
    const host = { role: 'host', permission: { invitation: ['create'] } }
    await wire(owner).post('create-role', { ...host, organizationId: made.id })
    await join(service, made, ben, 'host')
    await wire(ben).post('set-active', { organizationId: made.id })
    const { link } = await invited(service, ben, DORA, 'host')
    const dora = await newcomer(service, DORA)
    const accept = () => wire(dora).post('accept-invitation', { invitationId: link })
    const change = (permission: object) =>
      wire(owner).post('update-role', { organizationId: made.id, roleName: 'host', data: { permission } })
    await wire(owner).post('update-member-role', {
      ...{ organizationId: made.id, role: 'member' },
      memberId: (await wire(ben).get('get-active-member')).body.id,
    })
    await change({ invitation: ['create'], member: ['delete'] })
    assertRefused(await accept(), 'INVITATION_NOT_FOUND')
    await administrator.post('/api/admin/update_member', {
      ...{ organization_id: made.id, user_id: ben.id, roles: ['host'] },
    })
    await administrator.post('/api/admin/suspend_user', { id: ben.id, reason: 'Spam.' })
    assertRefused(await accept(), 'INVITATION_NOT_FOUND')
    await administrator.post('/api/admin/restore_user', { id: ben.id })
    assert.equal((await accept()).status, 200)
  })

  it('by staff is good while they hold the scope', async ({ service, administrator, owner, ben }) => {
    const made = await organizationOf(owner)
    await onStaff(service, administrator, ben, 'admin:organizations:write')
    const sent = { organization_id: made.id, email: DORA, roles: ['admin'] }
    assert.equal((await ben.post('/api/admin/invite_member', sent)).status, 200)
    const link = await service.mail.linkFor(DORA)
    const dora = await newcomer(service, DORA)
    await onStaff(service, administrator, ben)
    assertRefused(await wire(dora).post('accept-invitation', { invitationId: link }), 'INVITATION_NOT_FOUND')
    await onStaff(service, administrator, ben, 'admin:organizations:write')
    assert.equal((await wire(dora).post('accept-invitation', { invitationId: link })).status, 200)
  })

  it('names no role that can be deleted, and a role that has left the settings ends it until it is back', async ({
    service,
    administrator,
    owner,
    ben,
  }) => {
    await organizationOf(owner)
    await wire(owner).post('create-role', { role: 'cox', permission: {} })
    const { link } = await invited(service, owner, ben.email, 'cox')
    assertRefused(await wire(owner).post('delete-role', { roleName: 'cox' }), 'ROLE_IS_ASSIGNED_TO_MEMBERS')
    const { link: other } = await invited(service, owner, DORA, 'editor')
    const dora = await newcomer(service, DORA)
    await administrator.saveSettings('organizations', { roles: {} })
    assertRefused(await wire(dora).post('accept-invitation', { invitationId: other }), 'INVITATION_NOT_FOUND')
    assert.equal((await wire(ben).post('accept-invitation', { invitationId: link })).status, 200)
    await administrator.saveSettings('organizations', { roles: ORGANIZATIONS.roles })
    assert.equal((await wire(dora).post('accept-invitation', { invitationId: other })).status, 200)
  })

  it('is accepted by a program only for a verified address, and changes no session', async ({
    service,
    owner,
    ben,
  }) => {
    const made = await organizationOf(owner)
    const { link } = await invited(service, owner, ben.email)
    const tool = await grantFor(ben, 'account:organizations:write')
    const accept = () => tool.post('/api/auth/organization/accept-invitation', { invitationId: link })
    assertRefused(await accept(), 'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION')
    await proven(service, ben)
    assert.equal((await accept()).body.member.organizationId, made.id)
    assert.equal((await ben.get('/api/auth/get-session')).body.session.activeOrganizationId, null)
  })
})

describe('132. somebody else', () => {
  it('gets one answer for an invitation that exists and for one that does not', async ({ service, owner, ben }) => {
    await organizationOf(owner)
    const { invitationId, link } = await invited(service, owner, DORA)
    const eva = await newcomer(service, 'eva@example.com')
    await proven(service, eva)
    for (const id of [invitationId, 'nobody']) {
      for (const name of ['accept-invitation', 'reject-invitation', 'cancel-invitation'])
        assertRefused(await wire(eva).post(name, { invitationId: id }), 'INVITATION_NOT_FOUND')
      assertRefused(await wire(eva).get('get-invitation', { id }), 'INVITATION_NOT_FOUND')
      assertRefused(
        await wire(ben).post('accept-invitation', { invitationId: id }),
        'EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION',
      )
    }
    assertRefused(
      await wire(eva).post('accept-invitation', { invitationId: link }),
      'YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION',
    )
    assertRefused(await wire(ben).get('list-user-invitations'), 'EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION')
    assert.deepEqual((await wire(eva).get('list-user-invitations')).body, [])
  })
})

describe('the export of an account', () => {
  it('has memberships and invitations, of the latter none to an address that is not proven', async ({
    service,
    owner,
    ben,
  }) => {
    const made = await organizationOf(owner)
    await invited(service, owner, ben.email)
    const exported = async (person: Person) => (await person.post('/api/export_account')).body
    assert.deepEqual((await exported(owner)).memberships[0].roles, ['owner'])
    assert.deepEqual((await exported(ben)).invitations, [])
    await proven(service, ben)
    const [invitation] = (await exported(ben)).invitations
    assert.deepEqual(
      [invitation.organization_id, invitation.roles, invitation.status],
      [made.id, ['member'], 'pending'],
    )
  })
})

describe('a user who is deleted', () => {
  it('is invited nowhere any more, and nobody by them', async ({ service, owner, ben }) => {
    const made = await organizationOf(owner)
    await join(service, made, ben, 'admin')
    await proven(service, ben)
    await wire(ben).post('set-active', { organizationId: made.id })
    const { link } = await invited(service, ben, DORA)
    const dora = await newcomer(service, DORA)
    await invited(service, owner, 'eva@example.com')
    const eva = await newcomer(service, 'eva@example.com')
    await proven(service, eva)
    await ben.post('/api/auth/delete-user', { password: ben.password })
    await eva.post('/api/auth/delete-user', { password: eva.password })
    assertRefused(await wire(dora).post('accept-invitation', { invitationId: link }), 'INVITATION_NOT_FOUND')
    const { meta } = service.platform
    const rows = await meta.selectFrom('organization_invitation').select(['email', 'status']).execute()
    assert.deepEqual(rows, [{ email: DORA, status: 'canceled' }])
    const events = meta.selectFrom('event').select('data').where('subject_id', '=', made.id).orderBy('created_at')
    const told = await events.where('type', '=', 'invitation.created').orderBy('id').execute()
    assert.deepEqual(
      told.map(({ data }) => JSON.parse(data ?? '').email),
      [DORA, undefined],
    )
  })

  it('leaves an invitation to the owner of the address, if the account never proved it', async ({ service, owner }) => {
    await organizationOf(owner)
    const { link } = await invited(service, owner, DORA)
    const other = await newcomer(service, DORA)
    await other.post('/api/auth/delete-user', { password: other.password })
    const sent = { email: DORA, link, password: other.password }

    assert.equal((await stranger(service).post('/api/auth/accept-invitation', sent)).status, 200)
  })
})
