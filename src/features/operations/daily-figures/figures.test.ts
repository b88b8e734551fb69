import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../../test/service/it.ts'
import { newcomer, Person } from '../../../../test/service/people.ts'

describe('get_figures', () => {
  it('counts sign-ups, sign-ins, their users, and refusals by day', async ({
    service,
    administrator,
    ann,
  }) => {
    service.clock.advance({ days: 2 })
    await newcomer(service)
    for (let i = 0; i < 3; i++) await ann.signIn()
    await new Person(service, ann.email, 'not the password at all').signIn()
    await administrator.signIn()

    const { status, body } = await administrator.post('/api/admin/get_figures')

    assert.equal(status, 200)
    assert.equal(body.days.length, 30)
    assert.deepEqual(body.days.slice(-3), [
      { day: '2026-11-21', sign_ups: 3, sign_ins: 1, people: 1, refused: 0 },
      { day: '2026-11-22', sign_ups: 0, sign_ins: 0, people: 0, refused: 0 },
      { day: '2026-11-23', sign_ups: 1, sign_ins: 4, people: 2, refused: 1 },
    ])
    assert.deepEqual(body.before, { sign_ups: 0, sign_ins: 0, refused: 0 })
  })

  it('compares with as many days before, and continues as days pass', async ({ service, administrator }) => {
    const ask = async () => {
      const { body } = await administrator.post('/api/admin/get_figures', { days: 7 })
      return [body.days.map(({ sign_ups }: { sign_ups: number }) => sign_ups).join(''), body.before.sign_ups]
    }

    assert.deepEqual(await ask(), ['0000003', 0])
    service.clock.advance({ days: 3 })
    await newcomer(service)
    assert.deepEqual(await ask(), ['0003001', 0])
    service.clock.advance({ days: 5 })
    assert.deepEqual(await ask(), ['0100000', 3])
  })
})
