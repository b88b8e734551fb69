import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { it } from '../../../../test/service/it.ts'
import { newcomer, Person } from '../../../../test/service/people.ts'
import { VersionedCache } from '../../../platform/caches/versioned-cache.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../../rules/time.ts'
import { beginOf } from './days.ts'

describe('get_figures', () => {
  it('counts sign-ups, sign-ins, their users, and refusals by day', async ({ service, administrator, ann }) => {
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

  describe('in many time zones', () => {
    const remembered = new Map()
    it.override('options', { platform: { versioned: new VersionedCache(remembered) } })

    it('are remembered for one of them', async ({ administrator }) => {
      for (const time_zone of ['UTC', 'utc', '+01:00', '+01:01', 'Europe/Berlin'])
        for (const days of [1, 2]) await administrator.post('/api/admin/get_figures', { days, time_zone })

      assert.equal([...remembered.keys()].filter((name) => /figures/.test(name)).length, 1)
    })
  })

  it('counts by the days of the reader’s time zone, of 23 and 25 hours too', async ({ service, administrator }) => {
    const ask = async (time_zone: string) => {
      const { body } = await administrator.post('/api/admin/get_figures', { days: 3, time_zone })
      return body.days.map(({ day, sign_ups }: { day: string; sign_ups: number }) => [day, sign_ups])
    }
    service.clock.advance({ hours: 11, minutes: 30 })
    await newcomer(service)

    const utc = await ask('UTC')
    const berlin = await ask('Europe/Berlin')
    const losAngeles = await ask('America/Los_Angeles')

    assert.deepEqual(utc, [
      ['2026-11-19', 0],
      ['2026-11-20', 0],
      ['2026-11-21', 4],
    ])
    assert.deepEqual(berlin, [
      ['2026-11-20', 0],
      ['2026-11-21', 3],
      ['2026-11-22', 1],
    ])
    assert.deepEqual(losAngeles.at(-1), ['2026-11-21', 4])
    for (const [day, hours, zone] of [
      ['2026-03-29', 23, 'Europe/Berlin'],
      ['2026-10-25', 25, 'Europe/Berlin'],
      ['2026-11-21', 24, 'Europe/Berlin'],
      // There, midnight is skipped.
      ['2026-09-06', 23, 'America/Santiago'],
      ['2026-04-24', 23, 'Africa/Cairo'],
    ] as const) {
      const number = Date.parse(day) / DAY_MILLISECONDS
      const length = beginOf(number + 1, zone) - beginOf(number, zone)
      assert.equal(length, hours * HOUR_MILLISECONDS, day)
    }
  })

  it('of a time zone that does not exist are refused', async ({ administrator }) => {
    const answer = await administrator.post('/api/admin/get_figures', { time_zone: 'Europe/Nowhere' })

    assertRefused(answer, 'INVALID_REQUEST', 'time_zone')
  })
})
