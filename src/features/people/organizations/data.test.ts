import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../../../test/service/answers.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { itWith } from '../../../../test/service/it.ts'
import { join, ORGANIZATIONS, organizationOf, wire } from '../../../../test/service/organizations.ts'
import type { Person } from '../../../../test/service/people.ts'

const it = itWith({ organizations: ORGANIZATIONS })

const saves = (person: Person, fields: object) => person.post('/api/admin/update_organization_data', fields)
const claimsIn = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

describe('135. the data of an organisation', () => {
  it('checklist 135: shows its members everything but what is private', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const { id } = await organizationOf(ann, { metadata: { tier: 'gold' } })
    await join(service, { id }, ben)
    const all = { public: { plan: 'pro' }, private: { crm: 'secret-of-crm' } }
    const saved = await saves(administrator, { id, ...all })
    const seen = await ben.post('/api/get_organization_data', { organization_id: id })
    const changed = await ann.post('/api/update_organization_data', { organization_id: id, own: { tier: null, n: 2 } })
    const known = await administrator.post('/api/admin/get_organization_data', { id })
    const full = await wire(ben).get('get-full-organization', { organizationId: id })

    assert.deepEqual(saved.body, { ...all, own: { tier: 'gold' }, version: 2 })
    assert.deepEqual(seen.body, { public: all.public, own: { tier: 'gold' }, version: 2 })
    assert.deepEqual(changed.body, { public: all.public, own: { n: 2 }, version: 3 })
    assert.deepEqual(known.body, { ...all, own: { n: 2 }, version: 3 })
    assert.deepEqual(full.body.metadata, { n: 2 })
    for (const { body } of [seen, changed, full]) assert.doesNotMatch(JSON.stringify(body), /secret-of-crm|private/)
  })

  it('has one answer for outsiders, and needs organization:update for a change', async ({ service, ann, ben }) => {
    const { id } = await organizationOf(ann)
    for (const organization_id of [id, 'nobody']) {
      const code = 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'
      assertRefused(await ben.post('/api/get_organization_data', { organization_id }), code)
      assertRefused(await ben.post('/api/update_organization_data', { organization_id, own: {} }), code)
    }
    await join(service, { id }, ben)
    const refused = await ben.post('/api/update_organization_data', { organization_id: id, own: { a: 1 } })

    assertRefused(refused, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION')
    for (const part of ['public', 'private']) {
      const sent = { organization_id: id, own: {}, [part]: {} }
      assertRefused(await ann.post('/api/update_organization_data', sent), 'INVALID_REQUEST', part)
    }
    assertRefused(await saves(ann, { id, own: {} }), 'FORBIDDEN')
  })

  it('opens for a program with the scope, and not with another', async ({ ann, administrator }) => {
    const { id } = await organizationOf(ann)
    const reader = await grantFor(ann, 'account:organizations:read')
    const product = await grantFor(administrator, 'admin:data:write')

    assert.equal((await saves(administrator, { id, public: { plan: 'pro' } })).status, 200)
    assert.equal((await product.post('/api/admin/update_organization_data', { id, public: { a: 1 } })).status, 200)
    assert.deepEqual((await reader.post('/api/get_organization_data', { organization_id: id })).body.public, {
      plan: 'pro',
      a: 1,
    })
    const write = { organization_id: id, own: {} }
    assertRefused(await reader.post('/api/update_organization_data', write), 'INSUFFICIENT_SCOPE')
    assertRefused(await product.post('/api/admin/get_organization_data', { id }), 'INSUFFICIENT_SCOPE')
  })

  it('loses nothing while a hundred write at once, and one of ten that expect the same version saves', async ({
    administrator,
    ann,
  }) => {
    const { id } = await organizationOf(ann)
    const writes = Array.from({ length: 100 }, (_, i) =>
      i % 4 === 0
        ? ann.post('/api/update_organization_data', { organization_id: id, own: { [`n${i}`]: i } })
        : saves(administrator, { id, own: { [`n${i}`]: i } }),
    )
    assert.deepEqual(new Set(statuses(await Promise.all(writes))), new Set([200]))

    const { body } = await administrator.post('/api/admin/get_organization_data', { id })
    assert.deepEqual(body.own, Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`n${i}`, i])))
    assert.equal(body.version, 100)
    const rivals = Array.from({ length: 10 }, (_, i) =>
      saves(administrator, { id, public: { i }, expected_version: 100 }),
    )
    const answers = await Promise.all(rivals)
    const [winner, ...others] = answers.toSorted((one, two) => one.status - two.status)
    assert.equal(winner?.status, 200)
    for (const answer of others) assertRefused(answer, 'DATA_CONFLICT')
  })

  it('is replaced whole as metadata, where null stays, and is bounded alike', async ({ administrator, ann }) => {
    const large = { text: 'a'.repeat(8 * 1024) }
    const { id } = await organizationOf(ann, { metadata: { tier: 'gold', none: null } })
    const refusals = [
      await wire(ann).post('create', { name: 'Others', metadata: large }),
      await wire(ann).post('update', { data: { metadata: large } }),
      await ann.post('/api/update_organization_data', { organization_id: id, own: large }),
    ] as const
    const replaced = await wire(ann).post('update', { data: { metadata: { seats: null } } })
    const { body } = await administrator.post('/api/admin/get_organization_data', { id })

    const [made, changed, patched] = refusals
    assertRefused(made, 'PAYLOAD_TOO_LARGE', 'metadata')
    assertRefused(changed, 'PAYLOAD_TOO_LARGE', 'data.metadata')
    assertRefused(patched, 'PAYLOAD_TOO_LARGE', 'own')
    assertRefused(
      await wire(ann).post('update', { data: { metadata: { a: 1e300 } } }),
      'INVALID_REQUEST',
      'data.metadata.a',
    )
    assert.deepEqual(replaced.body.metadata, { seats: null })
    assert.deepEqual([body.own, body.version], [{ seats: null }, 2])
  })

  it('checklist 135: names in its events what has changed, and no value is in an event or the audit log', async ({
    service,
    administrator,
    ann,
  }) => {
    const { id } = await organizationOf(ann, { metadata: { tier: 'value-1' } })
    await saves(administrator, { id, public: { plan: 'value-2' }, private: { crm: 'value-3' } })
    await ann.post('/api/update_organization_data', { organization_id: id, own: { tier: 'value-4' } })
    await wire(ann).post('update', { data: { metadata: { other: 'value-5' } } })
    await saves(administrator, { id, public: { plan: 'value-2' } })

    await service.runJob('events')
    const types = ['organization.data_updated']
    const events = await administrator.post('/api/admin/list_events', { limit: 1_000, types })
    const audit = await administrator.post('/api/admin/list_audit_entries', {})
    const told = events.body.items.map((event: { organization_id: string; data: object }) => {
      assert.equal(event.organization_id, id)
      return event.data
    })
    const expected = [{ own: ['tier'] }, { public: ['plan'], private: ['crm'] }, { own: ['tier'] }]
    assert.deepEqual(told, [...expected, { own: ['tier', 'other'] }])
    assert.doesNotMatch(JSON.stringify([events.body, audit.body]), /value-\d/)
  })

  it('goes with the organisation, and is unknown for an unknown one', async ({ administrator, ann }) => {
    const { id } = await organizationOf(ann)
    await saves(administrator, { id, private: { a: 1 } })
    await wire(ann).post('delete', { organizationId: id })

    assertRefused(await administrator.post('/api/admin/get_organization_data', { id }), 'NOT_FOUND')
    assertRefused(await saves(administrator, { id, own: {} }), 'NOT_FOUND')
  })

  it('gives signed tokens the claims of the active organisation', async ({ administrator, ann }) => {
    const { id } = await organizationOf(ann)
    await saves(administrator, { id, public: { plan: { name: 'pro' } } })
    const claims = { plan: 'organization.public.plan.name', none: 'organization.public.none', mine: 'user.public.plan' }
    await administrator.saveSettings('hooks', { claims })
    const inside = claimsIn((await ann.get('/api/auth/token')).body.token)
    await wire(ann).post('set-active', { organizationId: null })
    const outside = claimsIn((await ann.get('/api/auth/token')).body.token)

    assert.deepEqual([inside.plan, inside.none, inside.mine], ['pro', undefined, undefined])
    assert.equal(outside.plan, undefined)
  })
})
