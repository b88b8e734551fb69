import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../service/answers.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { itWith } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { WITH_MAIL } from '../../service/with-mail.ts'
import { atOnce, REQUEST_RESET, REQUESTS, SEND } from '../support/codes.ts'

const SIGN_UP = '/api/auth/sign-up/email'
const CARL = { email: 'carl@example.com', password: 'an owl under the roof', name: 'Carl' }
const SCENES = [
  ...REQUESTS.map(([path, extra]) => [path, { email: 'ann@example.com', ...extra }, 1] as const),
  [SIGN_UP, CARL, 0],
] as const

const setWindow = (service: Service, email_user_action_cooldown_seconds: number) =>
  changeSettings(service, 'authentication', { email_user_action_cooldown_seconds })

const it = itWith(WITH_MAIL)

describe('26. a repeat inside the cooldown (email rule 5)', () => {
  it('is 429 with Retry-After, and passes after it', async ({ service }) => {
    const carl = stranger(service)
    await carl.signUp()
    service.clock.advance({ seconds: 20 })

    const inside = await carl.signUp()
    service.clock.advance({ seconds: 40 })

    assertRefused(inside, 'EMAIL_ACTION_RATE_LIMITED')
    assert.equal(inside.headers.get('retry-after'), '40')
    assertRefused(await carl.signUp(), 'USER_ALREADY_EXISTS')
  })

  it('leaves other scenes and addresses alone', async ({ ann, ben }) => {
    const [[, extra]] = REQUESTS
    await ann.post(SEND, { email: ann.email, ...extra })

    const answers = [
      await ann.post(SEND, { email: ann.email, ...extra }),
      await ann.post(REQUEST_RESET, { email: ann.email }),
      await ann.post(SEND, { email: ben.email, ...extra }),
    ]

    assert.deepEqual(
      answers.map(({ status }) => status),
      [429, 200, 200],
    )
  })

  it('is known from the key-value store by scene and hashed address', async ({ service }) => {
    await stranger(service, 'ann@example.com').signUp()

    const rows = await service.platform.meta.selectFrom('key_value').select('key').execute()

    const sha256 = '71d4f55f72fa128dfb468a1a3901507c804b74316488744d769d7f4b16696476'
    assert.deepEqual(rows, [{ key: `email:cooldown:signup:${sha256}` }])
  })
})

describe('27. twenty sends at once', () => {
  for (const [path, body, mails] of SCENES) {
    it(`at ${path} are one that passes, over two processes`, async ({ service, ann }) => {
      const answers = await atOnce(service, path, Array(20).fill(body))

      const refused = answers.filter(({ status }) => status === 429)
      assert.deepEqual([refused.length, answers.filter(({ status }) => status === 200).length], [19, 1])
      for (const { headers } of refused) assert.equal(headers.get('retry-after'), '60')
      assert.equal((await service.mail.sentTo(ann.email)).length, mails)
    })
  }
})

describe('28. an attempt that is refused for its input', () => {
  it('at sign-up does not hold up the corrected one', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_signup_domain_allowlist: ['x.com'] })
    const carl = stranger(service)

    for (const field of [{ password: 'short' }, { password: 'password1' }, { name: 7 }, {}])
      assert.equal((await carl.signUp(field)).status, 400)
    await changeSettings(service, 'authentication', { email_signup_domain_allowlist: [] })

    assert.equal((await carl.signUp()).status, 200)
  })

  it('does not hold up the next one either if a sign-up fails through our fault', async ({ service }) => {
    const carl = stranger(service)
    const setShards = (state: 'draining' | 'active') =>
      service.platform.meta.updateTable('shards').set({ state }).execute()
    await setShards('draining')
    assert.equal((await carl.signUp()).status, 503)
    await setShards('active')

    assert.equal((await carl.signUp()).status, 200)
  })

  for (const [path, extra] of REQUESTS) {
    it(`at ${path} does not hold up the corrected one`, async ({ ann }) => {
      const { email } = ann
      const refused = [
        await ann.post(path, { email: 'ann@', ...extra }),
        await ann.post(SEND, { email, type: 'unknown' }),
        await ann.post(SEND, { email }),
      ]

      for (const { status } of refused) assert.equal(status, 400)
      assert.equal((await ann.post(path, { email, ...extra })).status, 200)
    })
  }
})

describe('29. a change of the cooldown', () => {
  for (const [before, after, answer] of [
    [5, 3600, [429, '3590']],
    [3600, 5, [422, null]],
    [60, 0, [422, null]],
  ] as const) {
    it(`from ${before} to ${after} s covers what was done before, in every process`, async ({ service }) => {
      await setWindow(service, before)
      await stranger(service).signUp()
      service.clock.advance({ seconds: 10 })
      await setWindow(service, after)

      for (const request of [service.requestElsewhere, service.request]) {
        const { status, headers } = await stranger({ ...service, request }).signUp()
        assert.deepEqual([status, headers.get('retry-after')], answer)
        service.clock.advance({ seconds: after === 5 ? 5 : 0 })
      }
    })
  }
})
