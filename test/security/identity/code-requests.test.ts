import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { startHttpServer } from '../../processes/http-server.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { it } from '../../service/it.ts'
import { people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { NO_COOLDOWN, serviceWithMail } from '../../service/with-mail.ts'
import { sendTo } from '../support/codes.ts'

const SEND = '/api/auth/email-otp/send-verification-otp'

const REQUEST_RESET = '/api/auth/email-otp/request-password-reset'

/** The same request so many times, by turns in two processes. */
function atOnce(service: Service, count: number, path: string, body: object) {
  return Promise.all(Array.from({ length: count }, (_, i) => sendTo(service, i % 2, path, body)))
}

const COOLDOWN = { email_user_action_cooldown_seconds: 60 }

describe('26. a repeat inside the cooldown', () => {
  it('is 429 with Retry-After; other scenes and addresses are unaffected', async () => {
    await using service = await serviceWithMail({ authentication: COOLDOWN })
    const { ann, ben } = await people(service)
    const type = 'email-verification'
    await ann.post(SEND, { email: ann.email, type })

    const repeat = await ann.post(SEND, { email: ann.email, type })
    const otherScene = await ann.post(REQUEST_RESET, { email: ann.email })
    const otherAddress = await ann.post(SEND, { email: ben.email, type })

    assert.deepEqual([repeat.status, repeat.body.code], [429, 'EMAIL_ACTION_RATE_LIMITED'])
    assert.equal(repeat.headers.get('retry-after'), '60')
    assert.deepEqual([otherScene.status, otherAddress.status], [200, 200])
  })
})

describe('27. twenty sends at once', () => {
  for (const [path, extra] of [
    [SEND, { type: 'email-verification' }],
    [REQUEST_RESET, {}],
  ] as const) {
    it(`${path} sends exactly one mail, over two processes`, async () => {
      await using service = await serviceWithMail({ authentication: COOLDOWN })
      const { ann } = await people(service)

      const answers = await atOnce(service, 20, path, { email: ann.email, ...extra })

      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal((await service.mail.sentTo(ann.email)).length, 1)
    })
  }
})

describe('28. a sign-up that is refused for its input', () => {
  it('does not hold up the corrected attempt', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_signup_domain_allowlist: ['example.com'] })
    const carl = stranger(service)
    const fields = { email: carl.email, name: 'Carl' }

    await carl.post('/api/auth/sign-up/email', { ...fields, password: 'short' })
    await carl.post('/api/auth/sign-up/email', {
      ...fields,
      email: 'carl@other.example',
      password: carl.password,
    })

    assert.equal((await carl.signUp()).status, 200)
  })
})

describe('29. a change of settings', () => {
  for (const [what, fields, code] of [
    ['registration', { registration_enabled: false }, 'REGISTRATION_DISABLED'],
    ['the domain list', { email_signup_domain_allowlist: ['other.example'] }, 'EMAIL_DOMAIN_NOT_ALLOWED'],
  ] as const) {
    it(`of ${what} counts for the next request, in every process`, async ({ service, administrator }) => {
      const body = { email: 'carl@example.com', password: 'a long walk in the rain', name: 'Carl' }
      await administrator.saveSettings('authentication', fields)

      const answers = await atOnce(service, 2, '/api/auth/sign-up/email', body)

      for (const answer of answers) assert.equal(answer.code, code)
    })
  }

  it('of the cooldown counts for the next request, in every process', async () => {
    await using service = await serviceWithMail({ authentication: COOLDOWN })
    const { administrator, ann } = await people(service)
    await ann.post(REQUEST_RESET, { email: ann.email })
    await administrator.saveSettings('authentication', { email_user_action_cooldown_seconds: 0 })

    const answers = await atOnce(service, 2, REQUEST_RESET, { email: ann.email })

    for (const { status } of answers) assert.equal(status, 200)
  })

  it('of the mail provider counts for the next request, in every process', async () => {
    await using service = await serviceWithMail({ authentication: NO_COOLDOWN })
    const { administrator, ann } = await people(service)
    await administrator.saveSettings('email', { provider: null })

    const answers = await atOnce(service, 2, REQUEST_RESET, { email: ann.email })

    for (const { code } of answers) assert.equal(code, 'EMAIL_PROVIDER_UNAVAILABLE')
  })
})

describe('30. without a mail provider', () => {
  it('sign-up works; codes are EMAIL_PROVIDER_UNAVAILABLE and none is written', async ({ service }) => {
    const carl = stranger(service)

    const up = await carl.signUp()
    const answers = [
      await carl.post(SEND, { email: carl.email, type: 'email-verification' }),
      await carl.post(REQUEST_RESET, { email: carl.email }),
    ]

    assert.equal(up.status, 200)
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.code], [400, 'EMAIL_PROVIDER_UNAVAILABLE'])
    }
    assert.deepEqual(await service.platform.meta.selectFrom('verification').selectAll().execute(), [])
  })
})

describe('31. the list of domains', () => {
  for (const [email, isAllowed] of [
    ['carl@x.com', true],
    ['carl@X.COM', true],
    ['carl@evil-x.com', false],
    ['carl@x.com.evil.com', false],
    ['carl@sub.x.com', false],
    ['carl@x.com@evil.com', false],
    ['carl@x.com.', false],
    ['carl@x.co', false],
  ] as const) {
    it(`${isAllowed ? 'allows' : 'refuses'} ${email}`, async ({ service }) => {
      await changeSettings(service, 'authentication', { email_signup_domain_allowlist: ['x.com'] })

      const { status } = await stranger(service, email).signUp()

      assert.equal(status, isAllowed ? 200 : 400)
    })
  }
})

describe('32. with the challenge on', () => {
  const guarded = [
    [
      '/api/auth/sign-up/email',
      { email: 'carl@example.com', password: 'an owl under the roof', name: 'Carl' },
    ],
    ['/api/auth/sign-in/email', { email: 'ann@example.com', password: 'a long walk in the rain' }],
    [REQUEST_RESET, { email: 'ann@example.com' }],
  ] as const

  for (const [path, body] of guarded) {
    it(`${path} is refused without, with a wrong and with a replayed response, and with no verifier`, async () => {
      const verifier = await startHttpServer(({ body: form }) => ({
        body: { success: form.includes('right'), 'error-codes': [] },
      }))
      await using service = await startService({
        env: { CHALLENGE_SITE_KEY: 'site', CHALLENGE_SECRET: 'secret', CHALLENGE_VERIFY_URL: verifier.url },
      })
      await people(service)
      await changeSettings(service, 'email', { provider: 'smtp' })
      await changeSettings(service, 'authentication', { challenge_enabled: true })
      const attempt = async (response: Readonly<Record<string, string>>) =>
        (await stranger(service).post(path, body, response)).status

      const without = await attempt({})
      const wrong = await attempt({ 'x-captcha-response': 'not this' })
      const right = await attempt({ 'x-captcha-response': 'the right one' })
      const replayed = await attempt({ 'x-captcha-response': 'the right one' })
      await verifier.stop()
      const down = await attempt({ 'x-captcha-response': 'another right one' })

      assert.deepEqual([without, wrong, right, replayed, down], [400, 403, 200, 403, 403])
    })
  }
})
