import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../../../test/service/answers.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { type Person, stranger } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { merged } from '../../../rules/json-object.ts'

const KIB_8 = 8 * 1024

/** An object that has this many bytes as JSON. */
const sized = (bytes: number) => ({ text: 'a'.repeat(bytes - '{"text":""}'.length) })

const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })

/** As it is written, because JSON.stringify would change it. */
function raw(person: Person, path: string, body: string) {
  return person.send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

async function eventsOf(service: Service, administrator: Person, type: string) {
  await service.runJob('events')
  const { body } = await administrator.post('/api/admin/list_events', { limit: 1_000, types: [type] })
  return body.items
}

describe('135. the data of a user', () => {
  it('checklist 135: shows its user everything but what is private, which only an export has', async ({
    administrator,
    ann,
  }) => {
    const all = { public: { plan: 'pro' }, private: { crm: 'secret-of-crm' }, own: { theme: 'dark' } }
    const saved = await administrator.post('/api/admin/update_user_data', { id: ann.id, ...all })
    const seen = await ann.post('/api/get_data')
    const changed = await ann.post('/api/update_data', { own: { theme: null, size: 2 } })
    const exported = await ann.post('/api/export_account')
    const known = await administrator.post('/api/admin/get_user_data', { id: ann.id })

    assert.deepEqual(saved.body, { ...all, version: 1 })
    assert.deepEqual(seen.body, { public: all.public, own: all.own, version: 1 })
    assert.deepEqual(changed.body, { public: all.public, own: { size: 2 }, version: 2 })
    assert.deepEqual(exported.body.data, { ...all, own: { size: 2 }, version: 2 })
    assert.deepEqual(known.body, exported.body.data)
    const others = [await ann.get('/api/auth/get-session'), await ann.get('/api/auth/token'), seen, changed]
    for (const { body } of others) assert.doesNotMatch(JSON.stringify(body), /secret-of-crm|private/)
  })

  it('is empty until something is saved, and unknown for an unknown user', async ({ administrator, ann }) => {
    const { body } = await ann.post('/api/get_data')
    const unknown = { id: 'nobody' }

    assert.deepEqual(body, { public: {}, own: {}, version: 0 })
    assertRefused(await administrator.post('/api/admin/get_user_data', unknown), 'NOT_FOUND')
    assertRefused(await administrator.post('/api/admin/update_user_data', unknown), 'NOT_FOUND')
  })

  it('lets only the product write what is public or private', async ({ ann, ben }) => {
    for (const part of ['public', 'private'])
      assertRefused(await ann.post('/api/update_data', { own: {}, [part]: {} }), 'INVALID_REQUEST', part)
    assertRefused(await ann.post('/api/admin/get_user_data', { id: ann.id }), 'FORBIDDEN')
    assertRefused(await ben.post('/api/admin/update_user_data', { id: ann.id, own: {} }), 'FORBIDDEN')
  })

  it('opens for a program with the scope, and not with another', async ({ ann, administrator }) => {
    const reader = await grantFor(ann, 'account:profile:read')
    const product = await grantFor(administrator, 'admin:data:write')
    const written = await product.post('/api/admin/update_user_data', { id: ann.id, public: { plan: 'pro' } })

    assert.equal(written.status, 200)
    assert.deepEqual((await reader.post('/api/get_data')).body.public, { plan: 'pro' })
    assertRefused(await reader.post('/api/update_data', { own: {} }), 'INSUFFICIENT_SCOPE')
    assertRefused(await product.post('/api/admin/get_user_data', { id: ann.id }), 'INSUFFICIENT_SCOPE')
  })

  it('loses nothing while a hundred write at once', async ({ administrator, ann }) => {
    const writes = Array.from({ length: 100 }, (_, i) =>
      i % 2 === 0
        ? ann.post('/api/update_data', { own: { [`n${i}`]: i } })
        : administrator.post('/api/admin/update_user_data', { id: ann.id, own: { [`n${i}`]: i } }),
    )
    assert.deepEqual(new Set(statuses(await Promise.all(writes))), new Set([200]))

    const { body } = await ann.post('/api/get_data')
    assert.deepEqual(body.own, Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`n${i}`, i])))
    assert.equal(body.version, 100)
  })

  it('is saved by one of ten that expect the same version', async ({ administrator, ann }) => {
    const save = (i: number) =>
      administrator.post('/api/admin/update_user_data', { id: ann.id, public: { i }, expected_version: 0 })
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => save(i)))

    const winners = answers.filter(({ status }) => status === 200)
    assert.equal(winners.length, 1)
    for (const answer of answers) if (answer !== winners[0]) assertRefused(answer, 'DATA_CONFLICT')
  })

  it('keeps its version if nothing changes', async ({ service, administrator, ann }) => {
    const same = { id: ann.id, public: { plan: { name: 'pro' } } }
    await administrator.post('/api/admin/update_user_data', same)
    const again = await administrator.post('/api/admin/update_user_data', { ...same, own: {}, private: { a: null } })

    assert.equal(again.body.version, 1)
    assert.equal((await eventsOf(service, administrator, 'user.data_updated')).length, 1)
  })

  it('checklist 135: names in its events what has changed, and no value is in an event or the audit log', async ({
    service,
    administrator,
    ann,
  }) => {
    const change = { public: { plan: 'value-1', old: { deep: 'value-2' } }, private: { crm: 'value-3' } }
    await administrator.post('/api/admin/update_user_data', { id: ann.id, ...change })
    await administrator.post('/api/admin/update_user_data', { id: ann.id, public: { old: { deep: 'value-4' } } })
    await ann.post('/api/update_data', { own: { theme: 'value-5' } })

    const events = await eventsOf(service, administrator, 'user.data_updated')
    const audit = await administrator.post('/api/admin/list_audit_entries', {})
    assert.deepEqual(
      events.map(({ user_id, data }: { user_id: string; data: object }) => [user_id, data]),
      [
        [ann.id, { public: ['plan', 'old'], private: ['crm'] }],
        [ann.id, { public: ['old'] }],
        [ann.id, { own: ['theme'] }],
      ],
    )
    assert.doesNotMatch(JSON.stringify([events, audit.body]), /value-\d/)
  })

  it('checklist 135: has at most 8 KiB in each object, counted in bytes after the merge', async ({
    administrator,
    ann,
  }) => {
    const full = await ann.post('/api/update_data', { own: sized(KIB_8) })
    const beyond = await ann.post('/api/update_data', { own: sized(KIB_8 + 1) })
    const grown = await ann.post('/api/update_data', { own: { more: 1 } })
    const wide = { text: '語'.repeat(3_000) }
    const inBytes = await administrator.post('/api/admin/update_user_data', { id: ann.id, public: wide })
    const replaced = await ann.post('/api/update_data', { own: { text: null, more: 1 } })

    assert.deepEqual(statuses([full, replaced]), [200, 200])
    for (const answer of [beyond, grown]) assertRefused(answer, 'PAYLOAD_TOO_LARGE', 'own')
    assertRefused(inBytes, 'PAYLOAD_TOO_LARGE', 'public')
    assert.deepEqual(replaced.body.own, { more: 1 })
  })

  it.for([
    ['a number beyond doubles', '{"own":{"a":[1,1e999]}}', 'own.a.1'],
    ['a number that loses digits', '{"own":{"a":9007199254740993}}', 'own.a'],
    ['a lone surrogate', '{"own":{"a":{"b":"\\ud800"}}}', 'own.a.b'],
    ['a lone surrogate in a name', '{"own":{"a":{"\\ud800":1}}}', 'own.a'],
    ['NUL', '{"own":{"a":"\\u0000"}}', 'own.a'],
    ['__proto__', '{"own":{"a":{"__proto__":{"b":1}}}}', 'own.a.__proto__'],
    ['__proto__ at the top', '{"own":{"__proto__":{"b":1}}}', 'own.__proto__'],
    ['depth', JSON.stringify({ own: nested(17) }), `own${'.a'.repeat(16)}`],
    ['no object', '{"own":[]}', 'own'],
    ['null', '{"own":null}', 'own'],
    ['a text', '{"own":"a"}', 'own'],
    ['nothing', '{}', 'own'],
  ] as const)('checklist 135: refuses %s, with its path', async ([, body, path], { ann }) => {
    assertRefused(await raw(ann, '/api/update_data', body), 'INVALID_REQUEST', path)
    assert.deepEqual((await ann.post('/api/get_data')).body.own, {})
  })

  it('keeps any other value as it was sent', async ({ ann }) => {
    const own = {
      ...{ constructor: 1, toString: { hasOwnProperty: 2 }, '': '', '語 😀': ['', [null, { a: null }], -0.5, 1e-7] },
      ...{ max: Number.MAX_SAFE_INTEGER, min: Number.MIN_SAFE_INTEGER, deep: nested(15) },
    }
    await ann.post('/api/update_data', { own })

    assert.deepEqual((await ann.post('/api/get_data')).body.own, own)
  })

  it('comes with a sign-up, and is refused before anybody is made', async ({ service, administrator }) => {
    const carl = stranger(service)
    await carl.signUp({ data: { theme: 'dark', none: null } })
    const large = await stranger(service, 'large@example.com').signUp({ data: sized(KIB_8 + 1) })
    const ugly = await stranger(service, 'ugly@example.com').signUp({ data: { a: 1e300 } })
    const { body } = await administrator.post('/api/admin/list_users', { search: '@example.com' })

    assert.deepEqual((await carl.post('/api/get_data')).body, { public: {}, own: { theme: 'dark' }, version: 1 })
    assertRefused(large, 'PAYLOAD_TOO_LARGE', 'data')
    assertRefused(ugly, 'INVALID_REQUEST', 'data.a')
    assert.doesNotMatch(JSON.stringify(body), /large@|ugly@/)
  })

  it('checklist 135: of the owner of an address is not changed by a sign-up with it', async ({ service, ann }) => {
    await ann.post('/api/update_data', { own: { theme: 'dark' } })
    await stranger(service, ann.email).signUp({ data: { theme: 'light', more: 1 } })

    assert.deepEqual((await ann.post('/api/get_data')).body.own, { theme: 'dark' })
  })

  it('takes -0 and what is too small for a number as the 0 that is read back', async ({
    service,
    administrator,
    ann,
  }) => {
    const save = () => raw(ann, '/api/update_data', '{"own":{"a":-0,"b":[1e-400,{"c":-0.0}]}}')
    await save()
    const again = await save()

    assert.deepEqual(again.body, { public: {}, own: { a: 0, b: [0, { c: 0 }] }, version: 1 })
    assert.equal((await eventsOf(service, administrator, 'user.data_updated')).length, 1)
  })

  it('checklist 135: goes with its user', async ({ service, administrator, ann, ben }) => {
    for (const { id } of [ann, ben]) await administrator.post('/api/admin/update_user_data', { id, private: { a: 1 } })
    await administrator.post('/api/admin/delete_user', { id: ann.id })

    const rows = await service.platform.meta.primary.selectFrom('user_data').select('user_id').execute()
    assert.deepEqual(rows, [{ user_id: ben.id }])
  })
})

describe('a merge patch', () => {
  // RFC 7396, appendix A, but for patches and results that are no objects.
  it.for([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [['a', 'b'], { a: 'b' }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ] as const)('%j with %j is %j', ([target, patch, result]) => {
    assert.deepEqual(merged(target, patch), result)
  })

  it('is the same when it is sent twice, and changes neither side', () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue())
    assert.equal(
      fc.check(
        fc.property(json, json, (target, patch) => {
          const before = JSON.stringify([target, patch])
          const once = merged(target, patch)

          assert.deepEqual(merged(once, patch), once)
          assert.equal(JSON.stringify([target, patch]), before)
        }),
      ).failed,
      false,
    )
  })
})
