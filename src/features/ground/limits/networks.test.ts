import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../../../test/service/answers.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { from, inNewBrowser } from '../../../../test/service/new-browser.ts'
import { type Answer, type Person, stranger } from '../../../../test/service/people.ts'
import { WITH_MAIL } from '../../../../test/service/with-mail.ts'
import { neighbourhoodOf, networkOf } from '../../../rules/networks.ts'
import { guesserInNewBrowser, withinGuesses } from './guesses.ts'
import { addUse, LIMITS } from './limits.ts'

const ADDRESS = '203.0.113.7'
const HERE = from(ADDRESS)
const BESIDE = from('203.0.113.8')

const it = withService.extend('options', { env: { TRUSTED_PROXIES: '127.0.0.0/8' } }).extend('settings', WITH_MAIL)

describe('failures from one network', () => {
  it('a hundred over many addresses are checked, then this network waits, and no other', async ({ service, ann }) => {
    for (let i = 0; i < 90; i++) await addUse(service.platform, 'network-failures', ADDRESS)
    for (let i = 0; i < 10; i++)
      assert.equal((await stranger(service, `carl-${i}@example.com`).signIn(HERE)).status, 401)

    const same = await inNewBrowser(service, ann).signIn(HERE)
    const others = [await ann.signIn(HERE), await inNewBrowser(service, ann).signIn(BESIDE)]
    service.clock.advance({ minutes: 15 })
    const later = await inNewBrowser(service, ann).signIn(HERE)

    assertRefused(same, 'RATE_LIMITED')
    assert.equal(same.headers.get('retry-after'), '900')
    assert.deepEqual(statuses([...others, later]), [200, 200, 200])
  })

  it('that come while a right password is checked count for it too', async ({ service: { platform } }) => {
    for (let i = 0; i < 90; i++) await addUse(platform, 'network-failures', ADDRESS)
    const guess = (account: string, check: () => Promise<string | undefined>) =>
      withinGuesses(platform, guesserInNewBrowser(account, { address: ADDRESS }), check)

    const right = guess('ann', async () => {
      for (let i = 0; i < 10; i++) await guess(`carl-${i}`, async () => undefined)
      return 'right'
    })

    await assert.rejects(right, { code: 'RATE_LIMITED' })
  })
})

describe('wrong guesses at the same moment', () => {
  it('beyond the limit are told the length of the wait that begins', async ({ service: { platform } }) => {
    const { most } = LIMITS['wrong-passwords']
    const wrong = () => withinGuesses(platform, guesserInNewBrowser('ann', { address: ADDRESS }), async () => undefined)

    const tries = await Promise.allSettled(Array.from({ length: most + 20 }, wrong))

    const waits = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason.retryAfterSeconds] : []))
    assert.deepEqual(waits, Array(20).fill(30))
  })
})

interface Refused {
  readonly code?: string
}

/** Each of these counts against the caller's network, no matter which user sends it. */
const COUNTED: readonly (readonly [path: string, limit: keyof typeof LIMITS, body: (by: Person) => object])[] = [
  [
    '/api/auth/sign-up/email',
    'network-sign-ups',
    ({ email, password }) => ({ email: `new-${email}`, password, name: email }),
  ],
  ['/api/auth/passkey/generate-sign-up-options', 'network-sign-ups', ({ email }) => ({ email })],
  ['/api/auth/email-otp/request-password-reset', 'network-code-requests', ({ email }) => ({ email })],
  [
    '/api/auth/email-otp/send-verification-otp',
    'network-code-requests',
    ({ email }) => ({ email, type: 'email-verification' }),
  ],
  ['/api/auth/sign-in/email', 'network-sign-ins', ({ email, password }) => ({ email, password })],
  ['/api/oauth/begin_authorization', 'user-codes-by-network', () => ({ user_code: 'BCDF-GHJK' })],
]

describe('what one network can do in a given time', () => {
  it.for(COUNTED)(
    'stops at its limit for every user there, and stops nobody in another network: %s',
    async ([path, limit, body], { service, ann, ben }) => {
      const attempt = (person: Person, headers: Readonly<Record<string, string>>): Promise<Answer<Refused>> =>
        person.post(path, body(person), headers)
      const { most, windowSeconds } = LIMITS[limit]
      for (let i = 1; i < most; i++) await addUse(service.platform, limit, ADDRESS)

      const last = await attempt(ann, HERE)
      const beyond = await attempt(ben, HERE)
      const other = await attempt(ben, BESIDE)
      service.clock.advance({ seconds: windowSeconds })
      const later = await attempt(ben, HERE)

      assert.notEqual(last.body.code, 'RATE_LIMITED')
      assertRefused(beyond, 'RATE_LIMITED')
      assert.ok(Number(beyond.headers.get('retry-after')) > 0)
      assert.ok(!statuses([other, later]).includes(429))
    },
  )
})

describe('an address', () => {
  it.for([
    ['203.0.113.7', '203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0::/48'],
    ['1::2:3:4:5:192.0.2.1', '1:0:2:3::/64', '1:0:2::/48'],
    ['127.0.0.1', undefined, 'this-machine'],
    ['::1', undefined, 'this-machine'],
  ] as const)('%s is in the network %s and the neighbourhood %s', ([address, network, neighbourhood]) => {
    assert.deepEqual([networkOf(address), neighbourhoodOf(address)], [network, neighbourhood])
  })
})
