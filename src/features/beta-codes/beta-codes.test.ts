import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../test/service/it.ts'
import { Person } from '../../../test/service/people.ts'
import type { Service } from '../../../test/service/service.ts'

async function codes(administrator: Person, count: number): Promise<readonly string[]> {
  const { body } = await administrator.post('/api/admin/generate_beta_codes', { count })
  return body.codes
}

async function crowd(service: Service, size: number): Promise<readonly Person[]> {
  const persons = Array.from(
    { length: size },
    (_, i) => new Person(service, `guest${i}@example.com`, 'an owl under the roof'),
  )
  await Promise.all(persons.map((person) => person.signUp()))
  return persons
}

describe('beta codes', () => {
  it('are readable, without look-alike characters, as many as requested, and listed', async ({
    administrator,
  }) => {
    const made = await codes(administrator, 3)
    const { body } = await administrator.post('/api/admin/list_beta_codes', { used: false })

    assert.equal(new Set(made).size, 3)
    for (const code of made) assert.match(code, /^[2-9A-HJKMNP-Z]{4}(-[2-9A-HJKMNP-Z]{4}){2}$/)
    assert.equal(body.total, 3)
    assert.deepEqual(body.items.map(({ code }: { code: string }) => code).sort(), [...made].sort())
  })

  it('let their holder through the gate', async ({ service, administrator, ann, ben }) => {
    const [code] = await codes(administrator, 1)
    await administrator.saveSettings('authentication', { beta_gate_enabled: true })

    const before = await ann.post('/api/list_notifications')
    const typed = ` ${code?.toLowerCase().replaceAll('-', '')} `
    const bound = await ann.post('/api/bind_beta_code', { beta_code: typed })
    const after = await ann.post('/api/list_notifications')
    const other = await ben.post('/api/list_notifications')

    assert.deepEqual([before.status, before.body.code], [403, 'BETA_CODE_REQUIRED'])
    assert.deepEqual([bound.status, bound.body], [200, {}])
    assert.equal(after.status, 200)
    assert.equal(other.status, 403)
    const used = await administrator.post('/api/admin/list_beta_codes', { used: true, search: code })
    assert.deepEqual(used.body.items, [
      {
        code,
        used_by: ann.id,
        used_by_email: 'ann@example.com',
        created_at: service.clock.now(),
        used_at: service.clock.now(),
      },
    ])
  })

  it('the administrator passes the gate from preparation on', async ({ administrator }) => {
    await administrator.saveSettings('authentication', { beta_gate_enabled: true })

    assert.equal((await administrator.post('/api/list_notifications')).status, 200)
    assert.equal((await administrator.post('/api/admin/list_beta_codes')).body.total, 1)
  })

  it('of 20 users who bind one code at once, one wins and the others are told that it is bound', async ({
    service,
    administrator,
  }) => {
    const [beta_code] = await codes(administrator, 1)
    const guests = await crowd(service, 20)

    const answers = await Promise.all(guests.map((guest) => guest.post('/api/bind_beta_code', { beta_code })))

    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 19)
    for (const { status, body } of refused) {
      assert.deepEqual([status, body.code], [409, 'BETA_CODE_ALREADY_BOUND'])
    }
  })

  it('one user gets one code, also when binding ten at once', async ({ administrator, ann }) => {
    const made = await codes(administrator, 10)

    const answers = await Promise.all(made.map((beta_code) => ann.post('/api/bind_beta_code', { beta_code })))

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ body }) => body.code === 'BETA_CODE_ALREADY_BOUND').length, 9)
  })

  it('checklist 100: a used one stays used when its user is deleted', async ({ administrator, ann, ben }) => {
    const [beta_code] = await codes(administrator, 1)
    await ann.post('/api/bind_beta_code', { beta_code })

    await administrator.post('/api/admin/delete_user', { id: ann.id })
    const { status, body } = await ben.post('/api/bind_beta_code', { beta_code })
    const listed = await administrator.post('/api/admin/list_beta_codes', { used: true, search: beta_code })

    assert.deepEqual([status, body.code], [409, 'BETA_CODE_ALREADY_BOUND'])
    assert.deepEqual(
      listed.body.items.map((code: { used_by: string | null; used_at: number }) => [
        code.used_by,
        code.used_at > 0,
      ]),
      [[null, true]],
    )
  })

  it('a violation in another table is not reported as a code that is bound', async ({
    service,
    administrator,
    ann,
  }) => {
    const [beta_code] = await codes(administrator, 1)
    const id = `beta_code_bound_${ann.id}`
    await service.platform.meta
      .insertInto('event')
      .values({ id, created_at: 1, action: '', details: '{}' })
      .execute()

    const { status, body } = await ann.post('/api/bind_beta_code', { beta_code })

    assert.deepEqual([status, body.code], [500, 'INTERNAL_ERROR'])
  })

  it('an unknown one is 400 INVALID_BETA_CODE', async ({ ann }) => {
    const answers = await Promise.all(
      ['AAAA-BBBB-CCCC', '', "'; drop table beta_codes"].map((beta_code) =>
        ann.post('/api/bind_beta_code', { beta_code }),
      ),
    )

    for (const { status, body } of answers) assert.deepEqual([status, body.code], [400, 'INVALID_BETA_CODE'])
  })

  it('generating 0 or 1,001 is refused', async ({ administrator }) => {
    for (const count of [0, 1001, 1.5, '3']) {
      const { status } = await administrator.post('/api/admin/generate_beta_codes', { count })
      assert.equal(status, 400)
    }
  })
})
