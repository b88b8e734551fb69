import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, eachOf } from '../../../../test/service/answers.ts'
import { bearer } from '../../../../test/service/applications.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { itWith } from '../../../../test/service/it.ts'
import { join, ORGANIZATIONS, organizationOf, wire } from '../../../../test/service/organizations.ts'
import { newcomer, Person, stranger } from '../../../../test/service/people.ts'
import { CALLER_LIMITS } from '../../../rules/caller-limits.ts'

const it = itWith({ organizations: ORGANIZATIONS })

describe('creating an organisation', () => {
  it('makes the caller its owner, and active in their session', async ({ ann }) => {
    const { status, body } = await wire(ann).post('create', { name: ' Rowing Club ', slug: 'rowers' })

    const { id, members, ...rest } = body
    assert.equal(status, 200)
    assert.deepEqual(rest, { name: 'Rowing Club', slug: 'rowers', logo: null, metadata: {}, createdAt: rest.createdAt })
    assert.deepEqual([members[0].userId, members[0].role], [ann.id, 'owner'])
    const { session } = (await ann.get('/api/auth/get-session')).body
    assert.deepEqual([session.activeOrganizationId, session.activeTeamId], [id, null])
  })

  it('finds a slug by itself, from the name', async ({ ann }) => {
    const { slug } = await organizationOf(ann, { name: 'Łódź & Søn' })

    assert.match(slug, /^lodz-son-[a-z0-9]{6}$/)
  })

  it('refuses a slug that is reserved, taken, or was ever another’s', async ({ administrator, ann, ben }) => {
    const { id } = await organizationOf(ann, { slug: 'rowers' })
    const create = (slug: string) => wire(ben).post('create', { name: 'Others', slug })
    assertRefused(await create('rowers'), 'ORGANIZATION_ALREADY_EXISTS')
    assertRefused(await create('admin'), 'ORGANIZATION_ALREADY_EXISTS')
    assertRefused(await create('gatehouse'), 'ORGANIZATION_ALREADY_EXISTS')
    assertRefused(await create('-rowers'), 'INVALID_REQUEST')

    await wire(ann).post('update', { organizationId: id, data: { slug: 'sailors' } })

    assertRefused(await create('rowers'), 'ORGANIZATION_ALREADY_EXISTS')
    assertRefused(await wire(ben).post('check-slug', { slug: 'rowers' }), 'ORGANIZATION_SLUG_ALREADY_TAKEN')
    assert.equal((await wire(ann).post('update', { data: { slug: 'rowers' } })).status, 200)
    await wire(ann).post('update', { data: { slug: 'sailors' } })
    assert.equal((await wire(administrator).post('create', { name: 'Third', slug: 'rowers' })).status, 200)
  })

  it('is refused past the limit of the settings, and to everybody but the administrator if they say so', async ({
    administrator,
    ann,
  }) => {
    await administrator.saveSettings('organizations', { owned_limit: 1 })
    await organizationOf(ann)
    assertRefused(
      await wire(ann).post('create', { name: 'Second' }),
      'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
    )
    await administrator.saveSettings('organizations', { creation: 'administrator' })
    assertRefused(await wire(ann).post('create', { name: 'x' }), 'YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION')
    assert.equal((await wire(administrator).post('create', { name: 'Staff' })).status, 200)
  })

  it('is allowed as soon as another is deleted; new sessions begin in one that is left', async ({
    administrator,
    ann,
    ben,
    service,
  }) => {
    await administrator.saveSettings('organizations', { owned_limit: 1 })
    const { id } = await organizationOf(ann)
    const other = await organizationOf(ben)
    await join(service, other, ann)
    service.clock.advance({ minutes: 1 })
    await wire(ann).post('set-active', { organizationId: id })
    await wire(ann).post('delete', { organizationId: id })
    await ann.signIn()

    assert.equal((await ann.get('/api/auth/get-session')).body.session.activeOrganizationId, other.id)
    assert.equal((await wire(ann).post('create', { name: 'Second' })).status, 200)
  })

  it('shares the limit of check-slug with renaming, for free slugs too, but not for the slug that it has', async ({
    service,
    ann,
  }) => {
    const { id } = await organizationOf(ann, { slug: 'rowers' })
    const rename = (slug: string) => wire(ann).post('update', { organizationId: id, data: { slug } })
    const { most } = CALLER_LIMITS['slug-checks']
    for (let i = 2; i < most; i++) await wire(ann).post('check-slug', { slug: 'rowers' })
    assertRefused(await rename('admin'), 'ORGANIZATION_SLUG_ALREADY_TAKEN')
    for (const slug of ['admin', 'free-one']) {
      assertRefused(await rename(slug), 'RATE_LIMITED')
      assertRefused(await wire(ann).post('create', { name: 'Others', slug }), 'RATE_LIMITED')
    }
    assert.equal((await rename('rowers')).status, 200)
    service.clock.advance({ minutes: 10 })
    assert.equal((await rename('free-one')).status, 200)
  })

  it('refuses names that mail programs would make a link of', async ({ ann }) => {
    for (const name of ['https://evil', 'www.evil', 'evil.com/login', 'evil．com/login', '', 'a\nb', '\u200b']) {
      assertRefused(await wire(ann).post('create', { name }), 'INVALID_REQUEST')
    }
    assert.equal((await wire(ann).post('create', { name: 'Rowing e.V. & Co.' })).status, 200)
  })
})

describe('132. an outsider', () => {
  it('gets one answer for an organisation that exists and for one that does not, on every route', async ({
    service,
    ann,
    ben,
  }) => {
    const { id, slug } = await organizationOf(ann)
    const member = await join(service, { id }, await newcomer(service))
    const posts = {
      update: { data: { name: 'x' } },
      'set-active': {},
      leave: {},
      'remove-member': { memberIdOrEmail: member },
      'update-member-role': { memberId: member, role: 'member' },
      'has-permission': { permissions: { ac: ['read'] } },
      'create-role': { role: 'cox', permission: {} },
      'update-role': { roleName: 'cox', data: {} },
      'delete-role': { roleName: 'cox' },
      'create-team': { name: 'Eight' },
      'remove-team': { teamId: 'any' },
      'add-team-member': { teamId: 'any', userId: ann.id },
      'remove-team-member': { teamId: 'any', userId: ann.id },
      delete: {},
    }
    for (const organizationId of [id, 'nobody']) {
      for (const [name, body] of Object.entries(posts)) {
        assertRefused(await wire(ben).post(name, { ...body, organizationId }), OUTSIDE)
      }
      assertRefused(await wire(ben).post('update-team', { teamId: 'any', data: { organizationId } }), OUTSIDE)
      for (const name of READS) assertRefused(await wire(ben).get(name, { organizationId }), OUTSIDE)
    }
    for (const organizationSlug of [slug, 'nobody-has-this']) {
      assertRefused(await wire(ben).get('get-full-organization', { organizationSlug }), OUTSIDE)
      assertRefused(await wire(ben).post('set-active', { organizationSlug }), OUTSIDE)
    }
    assertRefused(await wire(ben).get('list-team-members', { teamId: 'any' }), 'TEAM_NOT_FOUND')
  })
})

const OUTSIDE = 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'
const READS = [
  ...['get-organization', 'get-full-organization', 'list-members', 'get-active-member-role'],
  ...['list-roles', 'get-role', 'list-teams', 'list-user-teams'],
]

describe('a member', () => {
  it('sees members, roles and teams, and changes nothing', async ({ service, ann, ben }) => {
    const { id } = await organizationOf(ann)
    const member = await join(service, { id }, ben)
    const here = { organizationId: id }

    const full = (await wire(ben).get('get-full-organization', here)).body
    assert.deepEqual(
      full.members.map((each: { user: { email: string } }) => each.user.email),
      [ann.email, ben.email],
    )
    assert.deepEqual([full.invitations, full.teams], [[], []])
    assertRefused(await wire(ben).post('update', { ...here, data: {} }), NOT_ALLOWED('UPDATE_THIS_ORGANIZATION'))
    assertRefused(await wire(ben).post('delete', here), NOT_ALLOWED('DELETE_THIS_ORGANIZATION'))
    assertRefused(
      await wire(ben).post('create-role', { ...here, role: 'x', permission: {} }),
      NOT_ALLOWED('CREATE_A_ROLE'),
    )
    assertRefused(
      await wire(ben).post('create-team', { ...here, name: 'x' }),
      NOT_ALLOWED('CREATE_TEAMS_IN_THIS_ORGANIZATION'),
    )
    assertRefused(
      await wire(ben).post('update-member-role', { ...here, memberId: member, role: 'admin' }),
      NOT_ALLOWED('UPDATE_THIS_MEMBER'),
    )
    assertRefused(
      await wire(ben).post('remove-member', { ...here, memberIdOrEmail: member }),
      NOT_ALLOWED('DELETE_THIS_MEMBER'),
    )
  })

  it('who is removed is out with the next request, in every session', async ({ service, ann, ben }) => {
    const { id } = await organizationOf(ann)
    await join(service, { id }, ben)
    await wire(ben).post('set-active', { organizationId: id })
    const elsewhere = new Person(service, ben.email, ben.password)
    await elsewhere.signIn()

    const removed = await wire(ann).post('remove-member', { memberIdOrEmail: ben.email })
    const active = await Promise.all(
      [ben, elsewhere].map(async (each) => (await each.get('/api/auth/get-session')).body.session.activeOrganizationId),
    )

    assert.equal(removed.body.member.userId, ben.id)
    assert.deepEqual(active, [null, null])
    assertRefused(await wire(ben).get('list-members', { organizationId: id }), OUTSIDE)
    assert.deepEqual((await wire(ben).get('list')).body, [])
  })

  it('begins a new session in the organisation last active', async ({ service, ann, ben }) => {
    const first = await organizationOf(ann)
    const second = await organizationOf(ann)
    for (const each of [first, second]) await join(service, each, ben)
    await wire(ben).post('set-active', { organizationId: first.id })
    await ben.signIn()

    assert.equal((await ben.get('/api/auth/get-session')).body.session.activeOrganizationId, first.id)
  })

  it('can only be one of up to 100 at once, oldest first, with an exact total', async ({ service, ann, ben }) => {
    const { id } = await organizationOf(ann)
    await join(service, { id }, ben, 'member', 'editor')

    const all = (await wire(ann).get('list-members', { limit: '1', offset: '1' })).body
    const editors = (await wire(ann).get('list-members', { filterField: 'role', filterValue: 'editor' })).body
    const found = (await wire(ann).get('list-members', { search: 'BEN@' })).body
    const by = await wire(ann).get('list-members', { filterField: 'email', filterValue: 'x' })

    assert.deepEqual([all.members[0].userId, all.total], [ben.id, 2])
    assert.deepEqual([editors.members[0].role, editors.total], ['member,editor', 1])
    assert.deepEqual([found.members[0].userId, found.total], [ben.id, 1])
    assertRefused(by, 'INVALID_REQUEST')
  })

  it('come in the same order from both ends of a list', async ({ service, administrator, ann, ben }) => {
    const { id } = await organizationOf(ann)
    for (const person of [ben, administrator]) await join(service, { id }, person)
    const oldest = eachOf({ body: { items: (await wire(ann).get('list-members')).body.members } }, 'userId')

    for (const [sortDirection, all] of [
      ['asc', oldest],
      ['desc', oldest.toReversed()],
    ] as const) {
      for (const [offset, limit] of [0, 1, 2, 3, 4].flatMap((from) => [1, 2, 3].map((most) => [from, most] as const))) {
        const sent = { sortDirection, offset: String(offset), limit: String(limit) }
        const { members, total } = (await wire(ann).get('list-members', sent)).body
        assert.deepEqual(eachOf({ body: { items: members } }, 'userId'), all.slice(offset, offset + limit))
        assert.equal(total, 3)
      }
    }
  })
})

const NOT_ALLOWED = <To extends string>(to: To) => `YOU_ARE_NOT_ALLOWED_TO_${to}` as const

describe('roles', () => {
  it('of the organisation give what is declared, and are changed and deleted', async ({
    administrator,
    service,
    ann,
    ben,
  }) => {
    const { id } = await organizationOf(ann)
    await join(service, { id }, ben)
    const mine = async () =>
      (await wire(ben).post('has-permission', { organizationId: id, permissions: { project: ['delete'] } })).body
        .success
    const made = await wire(ann).post('create-role', { role: 'Cox', permission: { project: ['delete'] } })
    const memberId = (await wire(ann).get('list-members', { search: ben.email })).body.members[0].id
    const before = await mine()
    await wire(ann).post('update-member-role', { memberId, role: ['member', 'cox'] })
    const after = await mine()
    await administrator.saveSettings('organizations', { permissions: { project: ['create'] } })
    const withdrawn = await mine()
    await administrator.saveSettings('organizations', { permissions: { project: ['create', 'delete'] } })
    await wire(ann).post('update-role', { roleName: 'cox', data: { permission: { project: ['create'] } } })
    const changed = await mine()

    assert.deepEqual([made.body.success, made.body.roleData.role], [true, 'cox'])
    assert.deepEqual([before, after, withdrawn, changed], [false, true, false, false])
    assertRefused(await wire(ann).post('delete-role', { roleName: 'cox' }), 'ROLE_IS_ASSIGNED_TO_MEMBERS')
    await wire(ann).post('update-member-role', { memberId, role: 'member' })
    assert.equal((await wire(ann).post('delete-role', { roleName: 'cox' })).status, 200)
    assertRefused(await wire(ann).get('get-role', { roleName: 'cox' }), 'ROLE_NOT_FOUND')
  })

  it('are never given or made by somebody who lacks a permission of theirs', async ({ service, ann, ben }) => {
    const { id } = await organizationOf(ann)
    const here = { organizationId: id }
    await wire(ann).post('create-role', { role: 'clerk', permission: { member: ['update'], ac: ['create', 'update'] } })
    const memberId = await join(service, { id }, ben, 'clerk')
    const asBen = wire(ben)

    const made = await asBen.post('create-role', { ...here, role: 'x', permission: { member: ['delete'] } })
    assertRefused(made, NOT_ALLOWED('CREATE_A_ROLE'))
    assert.deepEqual(made.body.missingPermissions, ['member:delete'])
    const changed = await asBen.post('update-role', {
      ...here,
      roleName: 'clerk',
      data: { permission: { team: ['create'] } },
    })
    assertRefused(changed, NOT_ALLOWED('UPDATE_A_ROLE'))
    for (const role of ['admin', 'owner', 'editor', 'clerk,admin']) {
      assertRefused(
        await asBen.post('update-member-role', { ...here, memberId, role }),
        NOT_ALLOWED('UPDATE_THIS_MEMBER'),
      )
    }
    assertRefused(await asBen.post('update-member-role', { ...here, memberId, role: 'unknown' }), 'ROLE_NOT_FOUND')
    assertRefused(
      await asBen.post('create-role', { ...here, role: 'admin', permission: {} }),
      'ROLE_NAME_IS_ALREADY_TAKEN',
    )
    assertRefused(
      await asBen.post('create-role', { ...here, role: 'x', permission: { nothing: ['read'] } }),
      'INVALID_RESOURCE',
    )
    assertRefused(await wire(ann).post('delete-role', { roleName: 'editor' }), 'CANNOT_DELETE_A_PRE_DEFINED_ROLE')
  })

  it('are listed with those of every organisation', async ({ ann }) => {
    await organizationOf(ann)
    await wire(ann).post('create-role', { role: 'cox', permission: {} })

    const { body } = await wire(ann).get('list-roles')
    assert.deepEqual(
      body.map(({ id, role }: { id: string | null; role: string }) => [role, id === null]),
      [
        ['owner', true],
        ['admin', true],
        ['member', true],
        ['editor', true],
        ['cox', false],
      ],
    )
    assert.deepEqual((await wire(ann).get('get-role', { roleName: 'editor' })).body.permission, { project: ['create'] })
  })
})

describe('the last owner', () => {
  it('neither leaves, nor is removed, nor gives the ownership up', async ({ service, ann, ben }) => {
    const { id } = await organizationOf(ann)
    await join(service, { id }, ben, 'admin')
    const own = (await wire(ann).get('get-active-member')).body.id

    assertRefused(
      await wire(ann).post('leave', { organizationId: id }),
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
    )
    assertRefused(
      await wire(ann).post('remove-member', { memberIdOrEmail: own }),
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
    )
    assertRefused(
      await wire(ann).post('update-member-role', { memberId: own, role: 'member' }),
      'YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER',
    )
    assertRefused(
      await wire(ben).post('remove-member', { memberIdOrEmail: own, organizationId: id }),
      NOT_ALLOWED('DELETE_THIS_MEMBER'),
    )
  })

  it('of two, one leaves and the other stays, also at the same moment', async ({ service, ann, ben }) => {
    const { id } = await organizationOf(ann)
    await join(service, { id }, ben, 'owner')

    const left = await Promise.all([ann, ben].map((each) => wire(each).post('leave', { organizationId: id })))

    assert.deepEqual(left.map(({ status }) => status).toSorted(), [200, 400])
  })

  it('is only changed in a fresh session', async ({ service, ann, ben }) => {
    const { id } = await organizationOf(ann)
    const memberId = await join(service, { id }, ben)
    service.clock.advance({ minutes: 16 })

    assertRefused(await wire(ann).post('update-member-role', { memberId, role: 'owner' }), 'SESSION_NOT_FRESH')
    assertRefused(await wire(ann).post('delete', { organizationId: id }), 'SESSION_NOT_FRESH')
    assert.equal((await wire(ann).post('update-member-role', { memberId, role: 'admin' })).status, 200)
  })
})

describe('an owner who goes', () => {
  it('is refused while others would have no owner, and takes along what is theirs alone', async ({
    service,
    ann,
    ben,
  }) => {
    const shared = await organizationOf(ann, { name: 'Shared' })
    const alone = await organizationOf(ann)
    await join(service, shared, ben)
    const go = () => ann.post('/api/auth/delete-user', { password: ann.password })
    const refused = await go()
    await wire(ann).post('delete', { organizationId: shared.id })
    const gone = await go()

    assertRefused(refused, 'LAST_OWNER')
    assert.deepEqual(refused.body.organizations, [{ id: shared.id, name: 'Shared' }])
    assert.equal(gone.status, 200)
    const left = service.platform.meta.selectFrom('organization').select('id').where('id', 'in', [shared.id, alone.id])
    assert.deepEqual(await left.execute(), [])
  })

  it('leaves it without an owner if the administrator suspends or deletes them', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const { id } = await organizationOf(ann)
    await join(service, { id }, ben)
    const of = service.platform.meta
      .selectFrom('organization')
      .select(['status', 'owners', 'members'])
      .where('id', '=', id)
    const states: unknown[] = []
    const act = async (name: string, body: object = {}) => {
      await administrator.post(`/api/admin/${name}`, { id: ann.id, ...body })
      states.push(await of.executeTakeFirst())
    }
    await act('suspend_user', { reason: 'Spam.' })
    await act('restore_user')
    await act('delete_user')

    assert.deepEqual(states, [
      { status: 'ownerless', owners: 0, members: 2 },
      { status: 'active', owners: 1, members: 2 },
      { status: 'ownerless', owners: 0, members: 1 },
    ])
  })
})

describe('teams', () => {
  it('are made, filled, chosen and deleted', async ({ service, ann, ben }) => {
    const { id } = await organizationOf(ann)
    await join(service, { id }, ben)
    await wire(ben).post('set-active', { organizationId: id })
    const team = (await wire(ann).post('create-team', { name: 'Eight' })).body
    const place = { teamId: team.id, userId: ben.id }

    assertRefused(await wire(ben).post('set-active-team', { teamId: team.id }), 'USER_IS_NOT_A_MEMBER_OF_THE_TEAM')
    const added = (await wire(ann).post('add-team-member', place)).body
    assert.equal((await wire(ann).post('add-team-member', place)).body.id, added.id)
    assert.equal((await wire(ben).post('set-active-team', { teamId: team.id })).body.id, team.id)
    const activeTeam = async () => (await ben.get('/api/auth/get-session')).body.session.activeTeamId
    assert.equal(await activeTeam(), team.id)
    assert.deepEqual((await wire(ben).get('list-team-members')).body, [added])
    assert.deepEqual((await wire(ben).get('list-user-teams')).body, [team])
    const renamed = (await wire(ann).post('update-team', { teamId: team.id, data: { name: 'Four' } })).body
    assert.deepEqual((await wire(ben).get('list-teams')).body, [renamed])
    assert.equal((await wire(ann).post('remove-team-member', place)).status, 200)
    assert.equal(await activeTeam(), null)
    assertRefused(await wire(ann).post('remove-team-member', place), 'USER_IS_NOT_A_MEMBER_OF_THE_TEAM')
    assert.equal((await wire(ann).post('remove-team', { teamId: team.id })).status, 200)
    assertRefused(await wire(ann).post('remove-team', { teamId: team.id }), 'TEAM_NOT_FOUND')
  })
})

describe('a program', () => {
  it('reads and writes with its scopes, and changes no owner', async ({ service, ann, ben }) => {
    const { id } = await organizationOf(ann)
    const memberId = await join(service, { id }, ben)
    const { tokens } = await grantFor(ann, 'account:organizations:write')
    const call = (name: string, body: object) =>
      stranger(service).post(
        `/api/auth/organization/${name}`,
        { organizationId: id, ...body },
        bearer(tokens.access_token),
      )

    assert.equal((await call('create-team', { name: 'Eight' })).status, 200)
    assertRefused(await call('update-member-role', { memberId, role: 'owner' }), 'FORBIDDEN')
    for (const name of ['delete', 'set-active']) assertRefused(await call(name, {}), 'FORBIDDEN')
    assertRefused(await call('create-team', { organizationId: undefined, name: 'x' }), 'NO_ACTIVE_ORGANIZATION')
  })
})
