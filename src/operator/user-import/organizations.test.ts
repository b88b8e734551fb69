import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe } from 'vitest'
import { betterAuthFile, betterAuthUser, fileWith, silent } from '../../../test/service/foreign-users.ts'
import { itWith } from '../../../test/service/it.ts'
import { ORGANIZATIONS, wire } from '../../../test/service/organizations.ts'
import type { Service } from '../../../test/service/service.ts'
import { importOrganization } from '../../features/people/organizations/importing.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { importBetterAuth } from './better-auth.ts'
import { importUsersFile } from './users-file.ts'

const it = itWith({ organizations: ORGANIZATIONS })

const LINES = [
  { member: { organization_id: 7, user_id: 'carl', roles: ['owner', 'editor'] } },
  { organization: { id: 7, name: 'Rowers', slug: 'rowers', created_at: '2024-05-01T12:00:00Z' } },
  { id: 'carl', email: 'carl@example.com' },
  { organization: { id: 8, name: 'Others', slug: 'rowers' } },
  { organization: { id: 9, name: 'https://evil.example/', slug: 'evil' } },
  { member: { organization_id: 7, user_id: 'nobody', roles: ['member'] } },
  { member: { organization_id: 7, user_id: 'carl', roles: ['member'] } },
]

const fileOf = (lines: readonly object[]) => fileWith(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
const nameOf = (why: string) => ({ why })

async function rowsIn({ platform: { meta } }: Service) {
  const organizations = await meta.selectFrom('organization').select(['id', 'slug', 'status', 'members']).execute()
  const members = await meta.selectFrom('member').select(['organization_id', 'user_id', 'roles']).execute()
  return { organizations, members }
}

describe('gatehouse import --from users', () => {
  it('takes organisations and members, in any order, and names those that it leaves out', async ({ service }) => {
    const file = fileOf(LINES)
    const result = await importUsersFile(service.platform, file, silent)

    assert.deepEqual([result.imported, result.inOrganizations], [1, { organizations: 1, members: 1 }])
    assert.deepEqual(
      result.skipped.map(({ place: { line }, why }) => [line, why]),
      [
        [4, 'the id or the slug is taken here'],
        [5, 'name: malformed'],
        [6, 'there is no such user'],
        [7, 'the user is a member already'],
      ],
    )
    assert.deepEqual(await rowsIn(service), {
      organizations: [{ id: '7', slug: 'rowers', status: 'active', members: 1 }],
      members: [{ organization_id: '7', user_id: 'carl', roles: 'owner,editor' }],
    })
    const again = await importUsersFile(service.platform, file, silent)
    assert.deepEqual([again.imported, again.inOrganizations], [0, { organizations: 0, members: 0 }])
  })

  it('takes an organisation that was deleted here only after its last rows are gone, because their sweep would take the new ones', async ({
    service,
    administrator,
  }) => {
    const file = fileOf(LINES.slice(0, 3))
    const taken = async () => (await importUsersFile(service.platform, file, silent)).inOrganizations
    await taken()
    await administrator.post('/api/admin/delete_organization', { id: '7' })
    const early = await taken()
    await service.runJob('organization-remains')

    assert.deepEqual(
      [early, await taken()],
      [
        { organizations: 0, members: 0 },
        { organizations: 1, members: 1 },
      ],
    )
    await service.runJob('organization-remains')
    assert.equal((await rowsIn(service)).members.length, 1)
  })

  it('writes nothing in a dry run, and for a field that it does not know', async ({ service }) => {
    const dry = await importUsersFile(service.platform, fileOf(LINES.slice(0, 3)), silent, { isDry: true })
    assert.deepEqual(dry.inOrganizations, { organizations: 1, members: 1 })
    const strange = fileOf([...LINES, { organization: { id: 10, name: 'x', slug: 'xx', plan: 'pro' } }])
    await assert.rejects(importUsersFile(service.platform, strange, silent), (error) => {
      return error instanceof OperatorError && /organization\.plan/.test(error.message)
    })
    assert.deepEqual(await rowsIn(service), { organizations: [], members: [] })
  })
})

describe('gatehouse import --from better-auth', () => {
  it('takes organisations, members, teams and roles made at run time, once each, and replaces slugs that are not allowed here', async ({
    service,
    administrator,
  }) => {
    const file = betterAuthFile([betterAuthUser('carl'), betterAuthUser('dora')], [])
    {
      using theirs = new DatabaseSync(file)
      const tooLarge = JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`n${i}`, null])))
      theirs.exec(`
        create table organization (id, name, slug, logo, "createdAt", metadata);
        create table member (id, "organizationId", "userId", role, "createdAt");
        create table team (id, name, "organizationId", "createdAt", "updatedAt");
        create table "teamMember" (id, "teamId", "userId", "createdAt");
        create table "organizationRole" (id, "organizationId", role, permission, "createdAt", "updatedAt");
        insert into organization values
          ('one', 'Rowers', 'Rowers_Club', 'https://x.example/a.png', '2024-05-01T12:00:00.000Z', '{"tier":"gold"}'),
          ('two', 'Sailors', 'sailors', null, '2024-05-01T12:00:00.000Z', '${tooLarge}'),
          ('a', 'App', 'app', null, '2024-05-01T12:00:00.000Z', null),
          ('b', 'Bees', '01a22fcd-687e-7000-aaae-41cc1081737f', null, '2024-05-01T12:00:00.000Z', null);
        insert into member values
          ('m1', 'one', 'carl', 'owner', '2024-05-02T12:00:00.000Z'),
          ('m2', 'one', 'dora', 'member,cox', '2024-05-03T12:00:00.000Z'),
          ('m3', 'two', 'gone', 'owner', '2024-05-03T12:00:00.000Z');
        insert into team values ('t1', 'Eight', 'one', '2024-05-03T12:00:00.000Z', null);
        insert into "teamMember" values ('x', 't1', 'dora', null), ('y', 't1', 'dora', null);
        insert into "organizationRole" values ('r1', 'one', 'cox', '{"project":["create"]}', '2024-05-03', null)`)
    }

    const result = await importBetterAuth(service.platform, file, silent)

    assert.deepEqual([result.imported, result.inOrganizations], [2, { organizations: 4, members: 2 }])
    assert.deepEqual(
      result.skipped.map(({ why }) => nameOf(why)),
      [nameOf('there is no such user')],
    )
    const { organizations, members } = await rowsIn(service)
    const slugOf = (wanted: string) => organizations.find(({ id }) => id === wanted)?.slug ?? ''
    assert.match(['one', 'a', 'b'].map(slugOf).join(' '), /^rowers-[a-z0-9]{6} app-[a-z0-9]{6} bees-[a-z0-9]{6}$/)
    assert.deepEqual(members.map(({ roles }) => roles).toSorted(), ['member,cox', 'owner'])
    const carl = { id: administrator.id, organization_id: 'one', user_id: administrator.id, roles: 'owner' }
    await service.platform.meta
      .insertInto('member')
      .values({ ...carl, created_at: 1, last_active_at: 0 })
      .execute()
    const here = { organizationId: 'one' }
    const role = (await wire(administrator).get('get-role', { ...here, roleName: 'cox' })).body
    assert.deepEqual(role.permission, { project: ['create'] })
    const full = (await wire(administrator).get('get-full-organization', here)).body
    assert.deepEqual([full.metadata, full.teams[0].name], [{ tier: 'gold' }, 'Eight'])
    assert.deepEqual((await wire(administrator).get('list-team-members', { teamId: 't1' })).body[0].userId, 'dora')
    const again = { id: 'c', slug: 'cees', name: 'Cees', createdAt: 1, teams: [{ id: 't1', name: 'Another' }] }
    assert.equal(await importOrganization(service.platform, again), true)
  })
})
