import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { describe } from 'vitest'
import { eachOf } from '../../../../test/service/answers.ts'
import { addApp } from '../../../../test/service/devices/factors.ts'
import { it } from '../../../../test/service/it.ts'
import { from } from '../../../../test/service/new-browser.ts'
import type { Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { veryMany } from '../../../../test/service/very-many.ts'
import { findKept, forget } from '../../../database/instance.ts'
import { ALL, progressOf } from '../../../database/searching.ts'
import { USER_SEARCH } from '../users/searching.ts'

const NAMES = {
  'mueller@example.com': 'Jürgen MÜLLER',
  'jose@example.com': 'José Núñez',
  'smith@example.com': 'Ann Marie Smith',
  'ivanova@example.com': 'Анна ИВАНОВА',
  'lodz@example.com': 'Łukasz Øster-Æsir Đorđe ßtraße',
  'tr@example.com': 'İlker Işık',
  'percent@example.com': '100% _real_ \\o/',
  'quoted@example.com': 'Pat "Q" O\'Neil',
  'wang@example.com': '王芳',
}

async function peopled(administrator: Person): Promise<void> {
  for (const [email, name] of Object.entries(NAMES)) await administrator.post('/api/admin/create_user', { email, name })
}

async function found(administrator: Person, filter: object): Promise<readonly string[]> {
  const answer = await administrator.post('/api/admin/list_users', { order: 'email', ...filter })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.equal(answer.body.total, answer.body.items.length)
  return eachOf(answer, 'email')
}

/** Makes the store one whose users are older than the index. */
async function fromBefore({ platform: { meta } }: Service): Promise<void> {
  await meta.deleteFrom('user_search').execute()
  await forget(meta, progressOf(USER_SEARCH))
}

describe('the search among users', () => {
  it.for(['in the index', 'among users from before the index'])(
    'finds words in any order, without case and accents, in every script: %s',
    async (place, { service, administrator }) => {
      await peopled(administrator)
      if (place !== 'in the index') await fromBefore(service)

      for (const [search, email] of [
        [' mueller@example.com ', 'mueller@example.com'],
        ['MÜLLER', 'mueller@example.com'],
        ['muller jurgen', 'mueller@example.com'],
        ['jose', 'jose@example.com'],
        ['nunez', 'jose@example.com'],
        ['smith ann', 'smith@example.com'],
        ['SMITH@EXAMPLE', 'smith@example.com'],
        ['иванова', 'ivanova@example.com'],
        ['lukasz oster aesir dorde sstrasse', 'lodz@example.com'],
        ['ilker isik', 'tr@example.com'],
        ['100%', 'percent@example.com'],
        ['_real_', 'percent@example.com'],
        ['\\o', 'percent@example.com'],
        ['"q"', 'quoted@example.com'],
        ["o'n", 'quoted@example.com'],
        ['王芳', 'wang@example.com'],
        ['芳', 'wang@example.com'],
        ['ık', 'tr@example.com'],
        ['dz', 'lodz@example.com'],
        ['nunez jo', 'jose@example.com'],
      ] as const)
        assert.deepEqual(await found(administrator, { search }), [email], search)
      assert.deepEqual(await found(administrator, { search: 'smith jose' }), [])
      assert.deepEqual(await found(administrator, { search: 'r_al' }), [])
      assert.deepEqual(await found(administrator, { search: 'ez no' }), [])
    },
  )

  it('finds users from before the index while they are added to it, and afterwards', async ({
    service,
    administrator,
    ann,
  }) => {
    for (const i of Array(250).keys())
      await administrator.post('/api/admin/create_user', { email: `old-${i}@example.com`, name: 'Old' })
    await fromBefore(service)
    const names = () => service.platform.meta.selectFrom('user_search').select('user_id').execute()

    const lengths = []
    for (const _ of Array(4)) {
      await service.runJob('search-index')
      lengths.push((await names()).length)
      assert.deepEqual(await found(administrator, { search: 'old-24 old-249' }), ['old-249@example.com'])
    }
    await ann.post('/api/auth/update-user', { name: 'Zoë' })

    assert.deepEqual(lengths, [100, 200, 253, 253])
    assert.equal(await findKept(service.platform.meta, progressOf(USER_SEARCH)), ALL)
    assert.deepEqual(await found(administrator, { search: 'zoe' }), [ann.email])
    assert.deepEqual(await found(administrator, { search: 'ann@example' }), [ann.email])
  })

  it('finds a letter that begins more names than an embedded index looks up', async ({ service, administrator }) => {
    const users = Array.from({ length: 600 }, (_, i) => ({
      ...{
        id: `wang-${i}`,
        name: '',
        folded_name: `王${String.fromCodePoint(0x4e00 + i)}`,
        role: 'user' as const,
      },
      ...{ email: `${i}@example.com`, email_verified: 1 as const, aff_code: `${i}`, factors: '' as const },
      ...{ created_at: i, updated_at: i, last_sign_in_at: 0 },
    }))
    await service.platform.meta.insertInto('user').values(users).execute()

    const { body } = await administrator.post('/api/admin/list_users', { search: '王', page_size: 1 })

    assert.equal(body.total, 600)
  })

  it('has no trace of a user who was deleted', async ({ service, administrator, ann, ben }) => {
    await administrator.post('/api/admin/delete_user', { id: ann.id })

    const { rows } = await sql<{ text: string }>`select text from user_search`.execute(service.platform.meta)
    assert.equal(rows.length, 2)
    assert.doesNotMatch(JSON.stringify(rows), /ann@/)
    assert.deepEqual(await found(administrator, { search: 'ann@' }), [])
    assert.deepEqual(await found(administrator, { search: 'ben@' }), [ben.email])
  })

  it('finds a part of the id, and the current name', async ({ administrator, ann }) => {
    await ann.post('/api/auth/update-user', { name: 'Zoë Ångström' })

    assert.deepEqual(await found(administrator, { search: 'zoe angstrom' }), [ann.email])
    assert.deepEqual(await found(administrator, { search: ann.id.slice(3, 30) }), [ann.email])
  })

  it('filters by shard', async ({ service, administrator, ann, ben }) => {
    await service.platform.meta
      .updateTable('user_shards')
      .set({ shard_id: 'weur-1' })
      .where('user_id', '=', ben.id)
      .execute()

    assert.deepEqual(await found(administrator, { shard_id: 'weur-1' }), [ben.email])
    assert.deepEqual(await found(administrator, { shard_id: 'weur-1', search: ann.email }), [])
    assert.ok((await found(administrator, { shard_id: 'apac-1' })).includes(ann.email))
  })

  it('filters by status, factor and last sign-in', async ({ service, administrator, ann, ben }) => {
    await addApp(service, ann)
    await administrator.post('/api/admin/create_user', { email: 'carl@example.com', name: 'Carl' })
    await administrator.post('/api/admin/mark_verified', { id: ann.id })
    await administrator.post('/api/admin/suspend_user', { id: ben.id, reason: 'Spam' })
    const before = service.clock.now()
    service.clock.advance({ days: 2 })
    await administrator.signIn()

    const { items } = (await administrator.post('/api/admin/list_users', { order: 'last_sign_in' })).body
    assert.deepEqual(
      items.map(({ email, last_sign_in_at: at }: { email: string; last_sign_in_at: number | null }) => [
        email === administrator.email ? 'administrator' : email,
        at,
      ])[0],
      ['administrator', service.clock.now()],
    )
    assert.equal(items.at(-1).last_sign_in_at, null)
    assert.deepEqual(await found(administrator, { status: 'suspended' }), [ben.email])
    assert.deepEqual(await found(administrator, { status: 'unverified' }), ['carl@example.com'])
    assert.ok((await found(administrator, { status: 'active' })).includes(ann.email))
    assert.deepEqual(await found(administrator, { factor: 'app' }), [ann.email])
    assert.deepEqual(await found(administrator, { factor: 'passkey' }), [])
    assert.ok(!(await found(administrator, { factor: 'none' })).includes(ann.email))
    assert.deepEqual(await found(administrator, { last_sign_in_end: before }), [ann.email, ben.email])
    assert.deepEqual(await found(administrator, { last_sign_in_start: before + 1 }), [administrator.email])
    assert.deepEqual(await found(administrator, { never_signed_in: true }), ['carl@example.com'])
    assert.ok(!(await found(administrator, { never_signed_in: false })).includes('carl@example.com'))
  })
})

describe('the search among very many users', () => {
  it('searches the first users only, if told to, says so, and finds the same there as in all', async ({
    service,
    administrator,
  }) => {
    await veryMany(service)
    const list = async (filter: object) => {
      const answer = await administrator.post('/api/admin/list_users', filter)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return { ids: eachOf(answer, 'id'), total: answer.body.total, searched: answer.body.searched }
    }
    const among = (filter: object) => list({ ...filter, search_among: 'first' })

    for (const order of ['newest', 'oldest', 'email', 'last_sign_in'])
      for (const filter of [{ page: 2 }, { status: 'active', page_size: 7 }]) {
        const whole = await list({ order, search: 'COM person', ...filter })
        const first = await among({ order, search: 'COM person', ...filter })
        assert.deepEqual(first.ids, whole.ids)
        assert.equal(whole.searched, undefined)
        assert.deepEqual([first.total, first.searched], [filter.page === 2 ? 41 : 8, 3_000])
      }

    assert.deepEqual(await among({ search: 'perexa' }), { ids: [], total: 0, searched: 3_000 })
    assert.deepEqual((await list({ search: 'perexa' })).ids, ['crowd-7'])
    const oldest = await among({ search: 'perexa', order: 'oldest', shard_id: 'apac-1' })
    assert.deepEqual(oldest, { ids: [], total: 0, searched: 3_000 })
    assert.deepEqual((await among({ search: 'perexa', order: 'oldest' })).ids, ['crowd-7'])
    assert.equal((await among({ search: 'person', status: 'suspended' })).total, 6)
    const pastTheEnd = { search: 'person', status: 'suspended', page: Number.MAX_SAFE_INTEGER }
    assert.deepEqual(await among(pastTheEnd), { ids: [], total: 6, searched: 3_000 })
  })

  it('covers all users for a rare piece, and for a range of time with few users', async ({
    service,
    administrator,
  }) => {
    await veryMany(service)

    for (const [filter, total] of [
      [{ search: 'person -777@' }, 1],
      [{ search: 'zz' }, 0],
      [{ search: 'com', created_at_start: 100, created_at_end: 199 }, 100],
      [{ search: 'com', order: 'last_sign_in', last_sign_in_end: 50 }, 50],
    ] as const) {
      const { body } = await administrator.post('/api/admin/list_users', { ...filter, search_among: 'first' })
      assert.deepEqual([body.total, body.searched], [total, undefined], JSON.stringify(filter))
    }
  })
})

describe('the audit log', () => {
  it('is searched by name and address, and filtered by actions, user and network', async ({
    administrator,
    ann,
    ben,
  }) => {
    await ann.post('/api/auth/update-user', { name: 'José Núñez' })
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Spam' })
    await administrator.post('/api/admin/suspend_user', { id: ben.id, reason: 'Spam' })
    const logged = async (filter: object) => {
      const { body } = await administrator.post('/api/admin/list_audit_entries', filter)
      return body.items.map(({ action, subject_email }: Record<string, unknown>) => [action, subject_email])
    }

    assert.deepEqual(await logged({ search: ' nunez JOSE ', action: ['user.suspend', 'user.restore'] }), [
      ['user.suspend', ann.email],
    ])
    assert.deepEqual(await logged({ user_id: ben.id, action: ['user.suspend'] }), [['user.suspend', ben.email]])
    assert.deepEqual(await logged({ ip: '203.0.113.77' }), [])
    assert.equal((await logged({ action: 'user.suspend' })).length, 2)
  })
})

describe('the audit log behind a proxy', () => {
  it.override('options', { env: { TRUSTED_PROXIES: '127.0.0.0/8' } })

  it('is searched by an IP address, or by its beginning', async ({ administrator, ann }) => {
    for (const ip of ['203.0.113.7', '203.0.113.77', '198.51.100.7', '2001:db8::7']) await ann.signIn(from(ip))
    const ipsOf = async (search: string) => {
      const { body } = await administrator.post('/api/admin/list_audit_entries', { search })
      return eachOf({ body }, 'ip').toSorted()
    }

    assert.deepEqual(await ipsOf('203.0.113.7'), ['203.0.113.7'])
    assert.deepEqual(await ipsOf(' 203.0.113. '), ['203.0.113.7', '203.0.113.77'])
    assert.deepEqual(await ipsOf('2001:DB8:'), ['2001:db8::7'])
    assert.deepEqual(await ipsOf('203.0.114.'), [])
  })
})
