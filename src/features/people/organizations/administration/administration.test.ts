import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, eachOf } from '../../../../../test/service/answers.ts'
import { grantFor } from '../../../../../test/service/grants.ts'
import { itWith } from '../../../../../test/service/it.ts'
import { invited, join, ORGANIZATIONS, organizationOf, wire } from '../../../../../test/service/organizations.ts'
import { newcomer, type Person } from '../../../../../test/service/people.ts'
import { onStaff, proven } from '../../../../../test/service/staff.ts'
import { WITH_MAIL } from '../../../../../test/service/with-mail.ts'

const it = itWith({ ...WITH_MAIL, organizations: ORGANIZATIONS })

const acts = (person: Person) => (name: string, body: object) => person.post(`/api/admin/${name}`, body)

describe('the administrator', () => {
  it('lists the organisations, newest first, by state and by parts of name, slug or id', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const ask = acts(administrator)
    const rowers = await organizationOf(ann, { name: 'Rowing Łódź' })
    const { body: made } = await ask('create_organization', { name: 'Sailors', slug: 'sail' })
    await organizationOf(ben, { name: 'Climbers' })
    await ask('suspend_organization', { id: rowers.id, reason: 'Spam.' })
    const list = async (filter: object) => {
      const { body } = await ask('list_organizations', filter)
      return [body.items.map(({ name }: { name: string }) => name), body.total]
    }

    assert.deepEqual(await list({}), [['Climbers', 'Sailors', 'Rowing Łódź'], 3])
    assert.deepEqual(await list({ page_size: 1, page: 2 }), [['Sailors'], 3])
    assert.deepEqual(await list({ search: 'lodz ROW' }), [['Rowing Łódź'], 1])
    assert.deepEqual(await list({ search: made.id }), [['Sailors'], 1])
    assert.deepEqual(await list({ search: '%' }), [[], 0])
    assert.deepEqual(await list({ status: 'ownerless' }), [['Sailors'], 1])
    assert.deepEqual(await list({ status: 'suspended' }), [['Rowing Łódź'], 1])
    const { body } = await ask('get_organization', { id: rowers.id })
    assert.deepEqual(
      [body.status, body.members, body.owners, body.seats, body.suspension_reason, body.pending_invitations],
      ['suspended', 1, 1, null, 'Spam.', 0],
    )
    assertRefused(await ask('get_organization', { id: 'nobody' }), 'NOT_FOUND')
    assert.ok(service)
  })

  it('creates, changes and deletes organisations', async ({ service, administrator, ann }) => {
    const ask = acts(administrator)
    const { body } = await ask('create_organization', { name: 'Sailors', slug: 'sail', owner_id: ann.id, seats: 2 })
    assert.equal((await wire(ann).get('list')).body[0].role, 'owner')
    assertRefused(await ask('create_organization', { name: 'Others', slug: 'sail' }), 'ORGANIZATION_SLUG_ALREADY_TAKEN')
    assertRefused(
      await ask('create_organization', { name: 'Others', slug: 'admin' }),
      'ORGANIZATION_SLUG_ALREADY_TAKEN',
    )
    assertRefused(await ask('create_organization', { name: 'Others', owner_id: 'nobody' }), 'NOT_FOUND')
    await ask('update_organization', { id: body.id, name: 'Sailing Club', slug: 'club', seats: null })
    const { body: changed } = await ask('get_organization', { id: body.id })
    assert.deepEqual([changed.name, changed.slug, changed.seats], ['Sailing Club', 'club', null])
    assert.equal((await ask('create_organization', { name: 'Others', slug: 'sail' })).status, 200)
    assertRefused(await ask('update_organization', { id: body.id, slug: 'sail' }), 'ORGANIZATION_SLUG_ALREADY_TAKEN')
    service.clock.advance({ minutes: 16 })
    assertRefused(await ask('delete_organization', { id: body.id }), 'SESSION_NOT_FRESH')
    await administrator.post('/api/auth/confirm', { password: administrator.password })
    await ask('delete_organization', { id: body.id })
    assert.deepEqual((await wire(ann).get('list')).body, [])
  })

  it('suspends an organisation: nobody acts in it, and restored, all is as before', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const ask = acts(administrator)
    await proven(service, ann)
    const made = await organizationOf(ann)
    await join(service, made, ben)
    const { link } = await invited(service, ann, 'dora@example.com')
    const dora = await newcomer(service, 'dora@example.com')
    const here = { organizationId: made.id }
    await ask('suspend_organization', { id: made.id, reason: 'Spam.' })
    for (const answer of [
      await wire(ann).get('get-full-organization', here),
      await wire(ann).post('update', { ...here, data: { name: 'x' } }),
      await wire(ann).post('invite-member', { ...here, email: 'eva@example.com', role: 'member' }),
      await wire(ann).post('delete', here),
      await wire(dora).post('accept-invitation', { invitationId: link }),
    ])
      assertRefused(answer, 'ORGANIZATION_SUSPENDED')
    assert.equal((await ann.get('/api/auth/get-session')).body.session.activeOrganizationId, null)
    assert.deepEqual((await wire(ann).get('list')).body[0].suspended, true)
    assert.equal((await wire(ben).post('leave', here)).status, 200)
    await ask('restore_organization', { id: made.id })
    assert.equal((await ann.get('/api/auth/get-session')).body.session.activeOrganizationId, made.id)
    assert.equal((await wire(dora).post('accept-invitation', { invitationId: link })).status, 200)
  })

  it('adds, changes and removes members, but never the last owner', async ({ service, administrator, ann, ben }) => {
    const ask = acts(administrator)
    const { id } = await organizationOf(ann)
    const of = (person: Person) => ({ organization_id: id, user_id: person.id })
    assert.equal((await ask('add_member', { ...of(ben), roles: ['editor'] })).status, 200)
    assertRefused(
      await ask('add_member', { ...of(ben), roles: ['member'] }),
      'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
    )
    assertRefused(
      await ask('add_member', { organization_id: 'nobody', user_id: ben.id, roles: ['member'] }),
      'NOT_FOUND',
    )
    assertRefused(await ask('add_member', { organization_id: id, user_id: 'nobody', roles: ['member'] }), 'NOT_FOUND')
    assertRefused(await ask('update_member', { ...of(ben), roles: ['nothing'] }), 'ROLE_NOT_FOUND')
    assertRefused(await ask('update_member', { ...of(ann), roles: ['member'] }), 'LAST_OWNER')
    assertRefused(await ask('remove_member', of(ann)), 'LAST_OWNER')
    await ask('update_member', { ...of(ben), roles: ['owner', 'editor'] })
    await ask('remove_member', of(ann))
    assertRefused(await ask('remove_member', of(ann)), 'MEMBER_NOT_FOUND')
    const { body } = await ask('list_organization_members', { organization_id: id })
    assert.deepEqual([body.total, body.items[0].email, body.items[0].roles], [1, ben.email, ['owner', 'editor']])
    const subjects = async ({ email }: Person) => (await service.mail.sentTo(email)).map(({ subject }) => subject)
    assert.match((await subjects(ann)).join(), /You were removed from an organisation/)
    assert.match((await subjects(ben)).join(), /You own an organisation/)
  })

  it('invites to any role, and adding ends an invitation that waits', async ({ service, administrator, ann, ben }) => {
    const ask = acts(administrator)
    const { id } = await organizationOf(ann)
    const sent = await ask('invite_member', { organization_id: id, email: 'dora@example.com', roles: ['owner'] })
    const dora = await newcomer(service, 'dora@example.com')
    const link = await service.mail.linkFor(dora.email)
    assert.equal(sent.status, 200)
    assert.equal((await wire(dora).post('accept-invitation', { invitationId: link })).body.member.role, 'owner')
    await ask('invite_member', { organization_id: id, email: ben.email, roles: ['member'] })
    await ask('add_member', { organization_id: id, user_id: ben.id, roles: ['member'] })
    const { body } = await wire(ann).get('list-invitations')
    assert.deepEqual(body.map(({ status }: { status: string }) => status).toSorted(), ['accepted', 'canceled'])
  })

  it('leaves an organisation without an owner by suspending or deleting the last one', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const ask = acts(administrator)
    const made = await organizationOf(ann)
    const statusOf = async () => (await ask('get_organization', { id: made.id })).body.status
    await join(service, made, ben)
    await ask('suspend_user', { id: ann.id, reason: 'Spam.' })
    assert.equal(await statusOf(), 'ownerless')
    await ask('restore_user', { id: ann.id })
    assert.equal(await statusOf(), 'active')
    await ask('delete_user', { id: ann.id })
    assert.equal(await statusOf(), 'ownerless')
    const { body } = await ask('list_organizations', { status: 'ownerless' })
    assert.deepEqual(eachOf({ body }, 'members'), [1])
  })
})

describe('staff and programs with the scope of organisations', () => {
  it('do what the administrator does, but for colleagues, and own or delete nothing by a program', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    await onStaff(service, administrator, ann, 'admin:organizations:read', 'admin:organizations:write')
    const tool = await grantFor(ann, 'admin:organizations:write')
    const made = await organizationOf(ben)
    const of = (person: Person, roles: readonly string[]) => ({ organization_id: made.id, user_id: person.id, roles })
    assertRefused(await acts(ann)('add_member', of(administrator, ['member'])), 'FORBIDDEN')
    assertRefused(await tool.post('/api/admin/add_member', of(ann, ['owner'])), 'FORBIDDEN')
    assertRefused(await tool.post('/api/admin/delete_organization', { id: made.id }), 'FORBIDDEN')
    assert.equal((await tool.post('/api/admin/add_member', of(ann, ['member']))).status, 200)
    assert.equal((await acts(ann)('suspend_organization', { id: made.id, reason: 'Spam.' })).status, 200)
    assertRefused(await acts(ben)('restore_organization', { id: made.id }), 'FORBIDDEN')
  })
})
