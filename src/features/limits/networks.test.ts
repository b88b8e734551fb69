import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../test/service/it.ts'
import { from, inNewBrowser } from '../../../test/service/new-browser.ts'
import { type Answer, Person, people, stranger } from '../../../test/service/people.ts'
import { startService } from '../../../test/service/service.ts'
import { serviceWithMail } from '../../../test/service/with-mail.ts'
import { guesserInNewBrowser, withinGuesses } from './guesses.ts'
import { addUse, LIMITS } from './limits.ts'
import { neighbourhoodOf, networkOf } from './networks.ts'

const TRUSTED_FRONT = { TRUSTED_PROXIES: '127.0.0.0/8' }

describe('failures from one network', () => {
  it('a hundred over many addresses are checked, then the network waits, and no other', async () => {
    await using service = await startService({ env: TRUSTED_FRONT })
    const { ann } = await people(service)
    for (let i = 0; i < 100; i++) {
      const carl = stranger(service, `carl-${i}@example.com`)
      assert.equal((await carl.signIn(from('203.0.113.7'))).status, 401)
    }

    const same = await inNewBrowser(service, ann).signIn(from('203.0.113.7'))
    const known = await ann.signIn(from('203.0.113.7'))
    const other = await inNewBrowser(service, ann).signIn(from('203.0.113.8'))
    service.clock.advance({ minutes: 15 })
    const later = await inNewBrowser(service, ann).signIn(from('203.0.113.7'))

    assert.deepEqual([same.status, same.body.code], [429, 'RATE_LIMITED'])
    assert.equal(same.headers.get('retry-after'), '900')
    assert.deepEqual([known.status, other.status, later.status], [200, 200, 200])
  })

  it('that come while a right password is checked count for it too, so a burst over many addresses learns no more', async ({
    service,
  }) => {
    const { platform } = service
    const address = '203.0.113.7'
    for (let i = 0; i < 90; i++) await addUse(platform, 'network-failures', address)
    const guess = (account: string, check: () => Promise<string | undefined>) =>
      withinGuesses(platform, guesserInNewBrowser(account, { address }), check)

    const right = guess('ann', async () => {
      for (let i = 0; i < 10; i++) await guess(`carl-${i}`, async () => undefined)
      return 'right'
    })

    await assert.rejects(right, { code: 'RATE_LIMITED' })
  })

  it('a forwarded address from an untrusted proxy is ignored', async ({ service, ann }) => {
    const tries: Answer<{ readonly code?: string }>[] = []
    for (let i = 0; i < 11; i++) {
      const eve = new Person(service, ann.email, 'not hers at all')
      tries.push(await eve.signIn({ 'x-forwarded-for': `203.0.113.${i}` }))
    }

    assert.equal(tries.at(-1)?.status, 429)
  })
})

type Counted = keyof typeof LIMITS
type Try = (person: Person, headers: Readonly<Record<string, string>>) => Promise<Answer<Refused>>

interface Refused {
  readonly code?: string
}

/** Each of these counts against the caller's network, no matter which user sends it. */
const COUNTED: readonly (readonly [limit: Counted, path: string, attempt: Try])[] = [
  post('network-sign-ups', '/api/auth/sign-up/email', ({ email, password }) => ({
    ...{ email: `new-${email}`, password, name: email },
  })),
  post('network-sign-ups', '/api/auth/passkey/generate-sign-up-options', ({ email }) => ({ email })),
  post('network-code-requests', '/api/auth/email-otp/request-password-reset', ({ email }) => ({ email })),
  post('network-code-requests', '/api/auth/email-otp/send-verification-otp', ({ email }) => ({
    ...{ email, type: 'email-verification' },
  })),
  post('network-sign-ins', '/api/auth/sign-in/email', ({ email, password }) => ({ email, password })),
  post('user-codes-by-network', '/api/oauth/begin_authorization', () => ({ user_code: 'BCDF-GHJK' })),
]

function post(limit: Counted, path: string, body: (person: Person) => object) {
  const attempt: Try = (person, headers) => person.post(path, body(person), headers)
  return [limit, path, attempt] as const
}

describe('what one network can do in a stretch of time', () => {
  for (const [limit, path, attempt] of COUNTED) {
    it(`stops at its limit for every user there, and stops nobody in another network: ${path}`, async () => {
      await using service = await serviceWithMail({ env: TRUSTED_FRONT })
      const { ann, ben } = await people(service)
      const { most, windowSeconds } = LIMITS[limit]
      for (let i = 1; i < most; i++) await addUse(service.platform, limit, '203.0.113.7')

      const last = await attempt(ann, from('203.0.113.7'))
      const beyond = await attempt(ben, from('203.0.113.7'))
      const other = await attempt(ben, from('203.0.113.8'))
      service.clock.advance({ seconds: windowSeconds })
      const later = await attempt(ben, from('203.0.113.7'))

      assert.notEqual(last.body.code, 'RATE_LIMITED')
      assert.deepEqual([beyond.status, beyond.body.code], [429, 'RATE_LIMITED'])
      assert.ok(Number(beyond.headers.get('retry-after')) > 0)
      assert.notEqual(other.status, 429)
      assert.notEqual(later.status, 429)
    })
  }
})

describe('a network', () => {
  const cases = [
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['127.0.0.1', undefined],
    ['1::2:3:4:5:192.0.2.1', '1:0:2:3::/64'],
    ['::1', undefined],
  ] as const
  for (const [address, network] of cases) {
    it(`of ${address} is ${network}`, () => assert.equal(networkOf(address), network))
  }
})

describe('a neighbourhood', () => {
  const cases = [
    ['203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['::1', 'this-machine'],
  ] as const
  for (const [address, neighbourhood] of cases) {
    it(`of ${address} is ${neighbourhood}`, () => assert.equal(neighbourhoodOf(address), neighbourhood))
  }
})
