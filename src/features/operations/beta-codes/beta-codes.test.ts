import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, eachOf } from '../../../../test/service/answers.ts'
import { it } from '../../../../test/service/it.ts'
import { type Person, stranger } from '../../../../test/service/people.ts'

async function codes(administrator: Person, count = 1): Promise<readonly [string, ...string[]]> {
  return (await administrator.post('/api/admin/generate_beta_codes', { count })).body.codes
}

const bind = (person: Person, beta_code: string) => person.post('/api/bind_beta_code', { beta_code })
const closeGate = (administrator: Person) => administrator.saveSettings('authentication', { beta_gate_enabled: true })

describe('beta codes', () => {
  it('are readable, without look-alikes, as many as requested, and listed', async ({ administrator }) => {
    const made = await codes(administrator, 3)
    const listed = await administrator.post('/api/admin/list_beta_codes', { used: false })

    assert.equal(new Set(made).size, 3)
    for (const code of made) assert.match(code, /^[2-9A-HJKMNP-Z]{4}(-[2-9A-HJKMNP-Z]{4}){2}$/)
    assert.equal(listed.body.total, 3)
    assert.deepEqual(eachOf(listed, 'code').toSorted(), made.toSorted())
  })

  it('let their holder through the gate', async ({ service, administrator, ann, ben }) => {
    const [code] = await codes(administrator)
    await closeGate(administrator)

    const before = await ann.post('/api/list_notifications')
    const bound = await bind(ann, ` ${code.toLowerCase().replaceAll('-', '')} `)
    const after = await ann.post('/api/list_notifications')
    const other = await ben.post('/api/list_notifications')

    for (const refused of [before, other]) assertRefused(refused, 'BETA_CODE_REQUIRED')
    assert.deepEqual([bound.status, bound.body, after.status], [200, {}, 200])
    const used = await administrator.post('/api/admin/list_beta_codes', { used: true, search: code })
    const now = service.clock.now()
    assert.deepEqual(used.body.items, [
      { code, used_by: ann.id, used_by_email: ann.email, created_at: now, used_at: now },
    ])
  })

  it('the administrator passes the gate from preparation on', async ({ administrator }) => {
    await closeGate(administrator)

    assert.equal((await administrator.post('/api/list_notifications')).status, 200)
    assert.equal((await administrator.post('/api/admin/list_beta_codes')).body.total, 1)
  })

  it('one code is bound to one user, even if 20 try at once', async ({ service, administrator }) => {
    const [code] = await codes(administrator)
    const guests = Array.from({ length: 20 }, (_, i) => stranger(service, `guest${i}@example.com`))
    await Promise.all(guests.map((guest) => guest.signUp()))

    const answers = await Promise.all(guests.map((guest) => bind(guest, code)))

    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 19)
    for (const answer of refused) assertRefused(answer, 'BETA_CODE_ALREADY_BOUND')
  })

  it('one user gets one code, even when binding ten at once', async ({ administrator, ann }) => {
    const made = await codes(administrator, 10)

    const answers = await Promise.all(made.map((code) => bind(ann, code)))

    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 9)
    for (const answer of refused) assertRefused(answer, 'BETA_CODE_ALREADY_BOUND')
  })

  it('checklist 100: a used one stays used when its user is deleted', async ({ administrator, ann, ben }) => {
    const [code] = await codes(administrator)
    await bind(ann, code)

    await administrator.post('/api/admin/delete_user', { id: ann.id })

    assertRefused(await bind(ben, code), 'BETA_CODE_ALREADY_BOUND')
    const listed = await administrator.post('/api/admin/list_beta_codes', { used: true, search: code })
    assert.deepEqual(eachOf(listed, 'used_by'), [null])
    assert.ok(listed.body.items[0].used_at > 0)
  })

  it('a violation in another table is not reported as a bound code', async ({ service, administrator, ann }) => {
    const [code] = await codes(administrator)
    const taken = { id: `beta_code_bound_${ann.id}`, created_at: 1, action: '', details: '{}' }
    await service.platform.meta.insertInto('event').values(taken).execute()

    assertRefused(await bind(ann, code), 'INTERNAL_ERROR')
  })

  it('an unknown one is 400 INVALID_BETA_CODE', async ({ ann }) => {
    for (const code of ['AAAA-BBBB-CCCC', '', "'; drop table beta_codes"])
      assertRefused(await bind(ann, code), 'INVALID_BETA_CODE')
  })

  it('cannot be guessed: twenty are checked in ten minutes', async ({ service, ann }) => {
    for (let i = 0; i < 20; i++) assertRefused(await bind(ann, 'AAAA-BBBB-CCCC'), 'INVALID_BETA_CODE')
    service.clock.advance({ minutes: 10, seconds: -1 })
    assertRefused(await bind(ann, 'AAAA-BBBB-CCCC'), 'RATE_LIMITED')
    service.clock.advance({ seconds: 1 })
    assertRefused(await bind(ann, 'AAAA-BBBB-CCCC'), 'INVALID_BETA_CODE')
  })

  it('generating 0 or 1,001 is refused', async ({ administrator }) => {
    for (const count of [0, 1001, 1.5, '3']) {
      const answer = await administrator.post('/api/admin/generate_beta_codes', { count })
      assertRefused(answer, 'INVALID_REQUEST', 'count')
    }
  })
})
