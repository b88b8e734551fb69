import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { compared, mirroringOf, mirrorOnce, it as plain } from '../../../test/service/mirrored.ts'
import { join, ORGANIZATIONS, organizationOf } from '../../../test/service/organizations.ts'
import type { Person } from '../../../test/service/people.ts'
import { MIRRORED_EVENTS, rowsOf, type Source } from './source.ts'
import { MIRRORED } from './tables.ts'

const it = plain.extend<{ settings: { readonly organizations: typeof ORGANIZATIONS } }>({
  settings: { organizations: ORGANIZATIONS },
})

/** What the connection reads, asked for as the administrator. */
function sourceOf(administrator: Person, hasOrganizations: boolean): Source {
  const ask = async (name: string, body: object) => {
    const answer = await administrator.post(`/api/admin/${name}`, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  return {
    hasOrganizations,
    feedEnd: async () => (await ask('list_events', { after: 'latest' })).next,
    feed: (after, wait_seconds) => ask('list_events', { after, types: MIRRORED_EVENTS, limit: 1_000, wait_seconds }),
    read: async (table, wanted) => rowsOf(table, (await ask(`read_${table}`, wanted)).items),
  }
}

describe('the routes that a mirror reads', () => {
  it('give the same rows as the stores of the host', async ({ service, product, administrator, ann, ben }) => {
    const { id } = await organizationOf(ann)
    await join(service, { id }, ben)
    await mirrorOnce(service, product, { source: sourceOf(administrator, true) })

    const { source } = mirroringOf(service, product)
    for (const table of MIRRORED)
      assert.deepEqual(
        await sourceOf(administrator, true).read(table, { after: undefined }),
        await source.read(table, { after: undefined }),
      )
    assert.deepEqual(await compared(service, product), ['6 rows are equal'])
  })

  it('read by ids, or in the order of ids from one on, and refuse both at once', async ({
    administrator,
    ann,
    ben,
  }) => {
    const read = async (wanted: object) => administrator.post('/api/admin/read_users', wanted)
    const ids = [administrator, ann, ben].map((person) => person.id).toSorted()
    const idsIn = async (wanted: object) => (await read(wanted)).body.items.map((user: { id: string }) => user.id)

    assert.deepEqual(await idsIn({}), ids)
    assert.deepEqual(await idsIn({ after: ids[0], limit: 1 }), ids.slice(1, 2))
    assert.deepEqual(await idsIn({ ids: [ids[2], 'nobody', ids[0]] }), [ids[0], ids[2]])
    for (const wanted of [{ ids, after: ids[0] }, { ids: [] }, { limit: 1_001 }])
      assert.equal((await read(wanted)).status, 400)
  })

  it('have no data that is not for others, and are closed to users', async ({ administrator, ann }) => {
    const data = { public: { plan: 'pro' }, private: { note: 'P' }, own: { theme: 'O' } }
    await administrator.post('/api/admin/update_user_data', { id: ann.id, ...data })
    const { body } = await administrator.post('/api/admin/read_users', { ids: [ann.id] })

    assert.deepEqual(Object.keys(body.items[0]).toSorted(), [
      ...[
        'created_at',
        'email',
        'email_verified',
        'id',
        'image',
        'name',
        'public',
        'role',
        'suspended_at',
        'updated_at',
      ],
    ])
    for (const table of MIRRORED) assert.equal((await ann.post(`/api/admin/read_${table}`)).status, 403)
  })

  it('without the scope for organisations keep users alone, and copy the rest once it is there', async ({
    service,
    product,
    administrator,
    ann,
  }) => {
    const count = async () => (await product.sql('select count(*)::int as n from gatehouse.organizations'))[0].n
    await mirrorOnce(service, product, { source: sourceOf(administrator, false) })
    await organizationOf(ann)
    await mirrorOnce(service, product, { source: sourceOf(administrator, false) })
    const without = [await count(), ...(await compared(service, product, sourceOf(administrator, false)))]
    await mirrorOnce(service, product, { source: sourceOf(administrator, true) })

    assert.deepEqual(without, [0, '3 rows are equal'])
    assert.equal(await count(), 1)
    await assert.rejects(
      mirrorOnce(service, product, { source: sourceOf(administrator, false) }),
      /admin:organizations:read/,
    )
    assert.deepEqual(await compared(service, product), ['5 rows are equal'])
  })
})

describe('ugly values', () => {
  it('arrive as PostgreSQL can keep them, and are equal', async ({ service, product, administrator, ann, ben }) => {
    const names = ['Łódź 語 ひらがな 👩‍👩‍👧 עברית', '\'"; drop table users; -- \\', 'x'.repeat(100_000), 'a\0b\ud800c']
    const stored = mirroringOf(service, product).source
    const odd = [
      { id: 'q"uo\'te', name: names[0], created_at: -9e15, updated_at: 8.64e15 },
      { id: 'Z', name: names[1], created_at: 0, updated_at: -1 },
      { id: 'ä', name: names[2], created_at: 1, updated_at: 253_402_300_800_000 },
      { id: 'z', name: names[3], created_at: 2, updated_at: 3 },
    ].map((row, n) => ({
      ...{ ...row, email: `odd-${n}@example.com`, email_verified: n % 2 === 0, image: null, role: 'user' },
      suspended_at: null,
      public: { 'k\0': names[n]?.slice(0, 99), deep: [[[[{ a: [1.5, -0, 1e-7, true, null] }]]]], '': 'empty' },
    }))
    const source: Source = {
      ...stored,
      read: async (table, wanted) => {
        const rows = await stored.read(table, wanted)
        if (table !== 'users') return rows
        const isWanted = ({ id }: { readonly id: string }) =>
          'ids' in wanted ? wanted.ids.includes(id) : wanted.after === undefined
        return [...rowsOf('users', odd.filter(isWanted)), ...rows]
      },
    }
    await mirrorOnce(service, product, { source })

    const kept = await product.sql(`select id, name from gatehouse.users where email like 'odd-%' order by email`)
    assert.deepEqual(
      kept.map(({ name }) => name),
      names.map((name) => name.toWellFormed().replaceAll('\0', '\ufffd')),
    )
    const persons = [administrator, ann, ben]
    assert.deepEqual(await compared(service, product, source), [`${persons.length + odd.length} rows are equal`])
  })
})
