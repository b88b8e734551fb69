import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../service/answers.ts'
import { itWith } from '../../service/it.ts'
import { invited, join, type Made, ORGANIZATIONS, organizationOf, wire } from '../../service/organizations.ts'
import { newcomer, type Person } from '../../service/people.ts'
import { proven } from '../../service/staff.ts'
import { WITH_MAIL } from '../../service/with-mail.ts'

interface Fixtures {
  readonly rowers: Made
  /** Of Ben, who is a clerk and has the settings' role. */
  readonly memberId: string
}

const it = itWith({ ...WITH_MAIL, organizations: ORGANIZATIONS }).extend<Fixtures>({
  rowers: async ({ ann }, use) => {
    const made = await organizationOf(ann)
    const permission = { member: ['update'], invitation: ['create'], ac: ['create', 'read', 'update'] }
    await wire(ann).post('create-role', { role: 'clerk', permission })
    await use(made)
  },
  memberId: async ({ service, rowers, ben }, use) => {
    await proven(service, ben)
    const id = await join(service, rowers, ben, 'clerk', 'editor')
    await wire(ben).post('set-active', { organizationId: rowers.id })
    await use(id)
  },
})

async function has(person: Person, permissions: Readonly<Record<string, readonly string[]>>): Promise<boolean> {
  return (await wire(person).post('has-permission', { permissions })).body.success
}

const UPDATE_MEMBER = 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'
const INVITE_WITH_ROLE = 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE'

describe('132. nobody gains what they lack when the settings change', () => {
  it('by a role whose permission is not declared at the moment', async ({ administrator, ann, ben, memberId }) => {
    await wire(ann).post('create-role', { role: 'wrecker', permission: { project: ['delete'] } })
    await administrator.saveSettings('organizations', { permissions: { project: ['create'] } })
    const give = await wire(ben).post('update-member-role', { memberId, role: 'clerk,wrecker' })
    const invite = await wire(ben).post('invite-member', { email: 'dora@example.com', role: 'wrecker' })
    await administrator.saveSettings('organizations', { permissions: ORGANIZATIONS.permissions })

    assertRefused(give, UPDATE_MEMBER)
    assert.deepEqual(give.body.missingPermissions, ['project:delete'])
    assertRefused(invite, INVITE_WITH_ROLE)
    assert.equal(await has(ben, { project: ['delete'] }), false)
  })

  it('by a role that a role of the settings hides', async ({ administrator, ann, ben, memberId }) => {
    await wire(ann).post('create-role', { role: 'pilot', permission: { organization: ['delete'] } })
    await administrator.saveSettings('organizations', { roles: { ...ORGANIZATIONS.roles, pilot: {} } })
    const give = await wire(ben).post('update-member-role', { memberId, role: 'clerk,pilot' })
    await administrator.saveSettings('organizations', { roles: ORGANIZATIONS.roles })

    assertRefused(give, UPDATE_MEMBER)
    assert.equal(await has(ben, { organization: ['delete'] }), false)
  })

  it('by renaming a role to one that they hold and that has left the settings', async ({
    administrator,
    ann,
    ben,
    memberId: _,
  }) => {
    await wire(ann).post('create-role', { role: 'boss', permission: { organization: ['delete'] } })
    await administrator.saveSettings('organizations', { roles: {} })
    const rename = (person: Person, more: object = {}) =>
      wire(person).post('update-role', { roleName: 'boss', data: { roleName: 'editor', ...more } })
    const refused = await rename(ben)
    const harmless = await rename(ben, { permission: { ac: ['read'] } })

    assertRefused(refused, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_A_ROLE')
    assert.deepEqual(refused.body.missingPermissions, ['organization:delete'])
    assert.equal(harmless.status, 200)
    assert.equal(await has(ben, { organization: ['delete'] }), false)
  })
})

describe('132. an administrator of an organisation', () => {
  it('can give a permission that is not declared at the moment, because they will hold it again, but never one of owners alone', async ({
    service,
    administrator,
    ann,
    rowers,
  }) => {
    await wire(ann).post('create-role', { role: 'wrecker', permission: { project: ['delete'] } })
    await wire(ann).post('create-role', { role: 'boss', permission: { organization: ['delete'] } })
    const carl = await newcomer(service)
    await join(service, rowers, carl, 'admin')
    const memberId = await join(service, rowers, await newcomer(service, 'dora@example.com'))
    await administrator.saveSettings('organizations', { permissions: {}, roles: {} })
    const give = (role: string) => wire(carl).post('update-member-role', { organizationId: rowers.id, memberId, role })

    assert.equal((await give('member,wrecker')).status, 200)
    assertRefused(await give('member,boss'), UPDATE_MEMBER)
  })
})

describe('132. the seats of an organisation', () => {
  it('are never exceeded by invitations that become good again with the right of their inviter', async ({
    service,
    administrator,
    ann,
    ben,
    rowers,
    memberId,
  }) => {
    await proven(service, ann)
    await administrator.saveSettings('organizations', { seats: 4 })
    const waiting = async () => {
      const { body } = await wire(ann).get('list-invitations')
      return body.filter(({ status }: { status: string }) => status === 'pending').map(({ email }: Person) => email)
    }
    const role = async (name: string) => {
      assert.equal((await wire(ann).post('update-member-role', { memberId, role: name })).status, 200)
    }
    await invited(service, ben, 'one@example.com', 'clerk')
    await invited(service, ben, 'two@example.com', 'clerk')
    await role('member')
    await invited(service, ann, 'three@example.com')
    const carl = await newcomer(service)
    const added = await administrator.post('/api/admin/add_member', {
      ...{ organization_id: rowers.id, user_id: carl.id, roles: ['member'] },
    })
    await role('clerk')

    assert.equal(added.status, 200)
    assert.deepEqual(await waiting(), ['three@example.com'])
  })
})
