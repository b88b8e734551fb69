import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { pbkdf2Passwords } from '../../../src/platform/passwords/passwords.ts'
import { Person, people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

const BEHIND_A_PROXY = { TRUSTED_PROXIES: '127.0.0.0/8' }
// A hash takes long enough that all requests of a flood wait at the same time.
const ITERATIONS = 60_000

describe('71. beside a flood of sign-ins from one network', () => {
  it('checklist 71: with the right password of one account, another network signs in at once', async () => {
    await using service = await startService(oneHashAtOnce())
    const { ann, ben } = await people(service)

    const flood = Array.from({ length: 80 }, () => signIn(service, ann, '203.0.113.7'))
    const other = await signIn(service, ben, '198.51.100.9')
    const statuses = (await Promise.all(flood)).map(({ status }) => status)

    assert.equal(other.status, 200)
    assert.deepEqual([...new Set(statuses)].sort(), [200, 503])
  })

  for (const [what, addressOf] of [
    ['a /24', (i: number) => `203.0.113.${i}`],
    ['a /64', (i: number) => `2001:db8:1:2::${i.toString(16)}`],
    ['a /48', (i: number) => `2001:db8:1:${i.toString(16)}::1`],
  ] as const) {
    it(`checklist 71: with wrong passwords of many accounts from ${what}, another network signs in`, async () => {
      await using service = await startService(oneHashAtOnce())
      const { ben } = await people(service)
      const guesser = (i: number) => new Person(service, `person-${i}@example.com`, 'not the password')

      const flood = Array.from({ length: 80 }, (_, i) => signIn(service, guesser(i), addressOf(i)))
      const other = await signIn(service, ben, '198.51.100.9')
      const answers = await Promise.all(flood)

      assert.equal(other.status, 200)
      const refused = answers.filter(({ status }) => status === 503)
      assert.ok(refused.length > 0)
      for (const { body, headers } of refused) {
        assert.deepEqual([body.code, headers.get('retry-after')], ['STORE_UNAVAILABLE', '2'])
      }
    })
  }

  it('checklist 71: and from many networks, one that sends less makes them lose their newest', async () => {
    await using service = await startService(oneHashAtOnce())
    const { ben } = await people(service)
    const guesser = (i: number) => new Person(service, `person-${i}@example.com`, 'not the password')

    const flood = Array.from({ length: 90 }, (_, i) => signIn(service, guesser(i), `203.0.${i % 3}.${i}`))
    const other = await signIn(service, ben, '198.51.100.9')
    await Promise.all(flood)

    assert.equal(other.status, 200)
  })

  it('checklist 71: of sign-ups and password changes too', async () => {
    await using service = await startService(oneHashAtOnce())
    const { ann, ben } = await people(service)
    const change = { currentPassword: ann.password, newPassword: 'a quieter walk in the snow' }
    const from = { 'x-forwarded-for': '203.0.113.7' }

    const flood = Array.from({ length: 50 }, (_, i) => [
      new Person(service, `new-${i}@example.com`, 'an owl under the roof').post(
        '/api/auth/sign-up/email',
        { email: `new-${i}@example.com`, name: 'New', password: 'an owl under the roof' },
        from,
      ),
      ann.post('/api/auth/change-password', change, from),
    ]).flat()
    const other = await signIn(service, ben, '198.51.100.9')
    const statuses = (await Promise.all(flood)).map(({ status }) => status)

    assert.equal(other.status, 200)
    assert.ok(statuses.includes(503))
  })
})

function oneHashAtOnce() {
  const passwords = pbkdf2Passwords({ iterations: ITERATIONS, atOnce: 1 })
  return { env: BEHIND_A_PROXY, platform: { passwords } }
}

/** In a browser of its own. */
function signIn(service: Service, { email, password }: Person, address: string) {
  return new Person(service, email, password).signIn({ 'x-forwarded-for': address })
}
