import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHttpServer } from '../../processes/http-server.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

const SEND = '/api/auth/email-otp/send-verification-otp'
const VERIFY = '/api/auth/email-otp/verify-email'
const REQUEST_RESET = '/api/auth/email-otp/request-password-reset'
const RESET = '/api/auth/email-otp/reset-password'

async function withMail(cooldownSeconds = 0) {
  const service = await startService()
  await changeSettings(service, 'email', { provider: 'smtp' })
  await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: cooldownSeconds })
  return service
}

async function newCode(service: Service, { email }: Person): Promise<string> {
  await stranger(service).post(SEND, { email, type: 'email-verification' })
  return service.mail.codeFor(email)
}

function verify(service: Service, { email }: Person, otp: string) {
  return stranger(service).post(VERIFY, { email, otp })
}

/** So many six digits that are not the right ones. */
function wrong(otp: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => String((Number(otp) + i + 1) % 1_000_000).padStart(6, '0'))
}

/** The same request so many times, by turns in two processes. */
function atOnce(service: Service, count: number, path: string, body: object) {
  return Promise.all(Array.from({ length: count }, (_, i) => sendTo(service, i % 2, path, body)))
}

async function sendTo(service: Service, process: number, path: string, body: object) {
  const request = process === 0 ? service.request : service.requestElsewhere
  const headers = { 'content-type': 'application/json' }
  const response = await request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const { code }: { code?: string } = JSON.parse(await response.text())
  return { status: response.status, code }
}

describe('21. a code for type sign-in', () => {
  it('is refused with the code of the sign-in path, and no mail is sent', async () => {
    await using service = await withMail()
    const { ann } = await people(service)

    const { status, body } = await ann.post(SEND, { email: ann.email, type: 'sign-in' })

    assert.deepEqual([status, body.code], [400, 'EMAIL_OTP_SIGN_IN_DISABLED'])
    assert.deepEqual(await service.mail.all(), [])
  })
})

describe('22. the right code', () => {
  it('fails after three wrong ones', async () => {
    await using service = await withMail()
    const { ann } = await people(service)
    const otp = await newCode(service, ann)
    for (const guess of wrong(otp, 3)) await verify(service, ann, guess)

    assert.equal((await verify(service, ann, otp)).body.code, 'TOO_MANY_ATTEMPTS')
  })

  it('fails after 300 s, and after one success', async () => {
    await using service = await withMail()
    const { ann, ben } = await people(service)
    const [late, used] = [await newCode(service, ann), await newCode(service, ben)]

    const first = await verify(service, ben, used)
    const second = await verify(service, ben, used)
    service.clock.advance({ seconds: 300 })

    assert.deepEqual([first.status, second.status], [200, 400])
    assert.equal((await verify(service, ann, late)).body.code, 'OTP_EXPIRED')
  })
})

describe('23. twenty guesses at once', () => {
  it('count as at most three, over two processes', async () => {
    await using service = await withMail()
    const { ann } = await people(service)
    const otp = await newCode(service, ann)
    const guesses = wrong(otp, 20)

    const answers = await Promise.all(
      guesses.map((guess, i) => sendTo(service, i % 2, VERIFY, { email: ann.email, otp: guess })),
    )

    const codes = answers.map(({ code }) => code)
    assert.equal(codes.filter((code) => code === 'INVALID_OTP').length, 3)
    assert.equal(codes.filter((code) => code === 'TOO_MANY_ATTEMPTS').length, 17)
  })
})

describe('24. new codes', () => {
  it('void the old one', async () => {
    await using service = await withMail()
    const { ann } = await people(service)
    const old = await newCode(service, ann)
    const fresh = await newCode(service, ann)

    assert.equal((await verify(service, ann, old === fresh ? 'never' : old)).status, 400)
    assert.equal((await verify(service, ann, fresh)).status, 200)
  })

  it('do not give unlimited guesses: a cap for each address holds over the day', async () => {
    await using service = await withMail()
    const { ann, ben } = await people(service)
    let compared = 0
    for (let round = 0; round < 40; round += 1) {
      const otp = await newCode(service, ann)
      const answers = await Promise.all(wrong(otp, 3).map((guess) => verify(service, ann, guess)))
      compared += answers.filter(({ body }) => body.code === 'INVALID_OTP').length
    }

    assert.ok(compared >= 3 && compared <= 30, `${compared} guesses were compared`)
    assert.equal((await verify(service, ben, await newCode(service, ben))).status, 200)
  })
})

describe('25. a code', () => {
  it('for one purpose or address serves no other', async () => {
    await using service = await withMail()
    const { ann, ben } = await people(service)
    const toVerify = await newCode(service, ann)
    const password = 'another long password'

    const asReset = await ann.post(RESET, { email: ann.email, otp: toVerify, password })
    const asBen = await verify(service, ben, toVerify)
    await ann.post(REQUEST_RESET, { email: ann.email })
    const toReset = await service.mail.codeFor(ann.email)
    const asVerification = await verify(service, ann, toReset === toVerify ? 'never' : toReset)

    for (const { status } of [asReset, asBen, asVerification]) assert.equal(status, 400)
    assert.equal((await ann.signIn()).status, 200)
  })
})

describe('26. a repeat inside the cooldown', () => {
  it('is 429 with Retry-After; other scenes and addresses are unaffected', async () => {
    await using service = await withMail(60)
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
      await using service = await withMail(60)
      const { ann } = await people(service)

      const answers = await atOnce(service, 20, path, { email: ann.email, ...extra })

      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal((await service.mail.sentTo(ann.email)).length, 1)
    })
  }
})

describe('28. a sign-up that is refused for its input', () => {
  it('does not hold up the corrected attempt', async () => {
    await using service = await startService()
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
    it(`of ${what} counts for the next request, in every process`, async () => {
      await using service = await startService()
      const { administrator } = await people(service)
      const body = { email: 'carl@example.com', password: 'a long walk in the rain', name: 'Carl' }
      await administrator.saveSettings('authentication', fields)

      const answers = await atOnce(service, 2, '/api/auth/sign-up/email', body)

      for (const answer of answers) assert.equal(answer.code, code)
    })
  }

  it('of the cooldown counts for the next request, in every process', async () => {
    await using service = await withMail(60)
    const { administrator, ann } = await people(service)
    await ann.post(REQUEST_RESET, { email: ann.email })
    await administrator.saveSettings('authentication', { email_user_action_cooldown_seconds: 0 })

    const answers = await atOnce(service, 2, REQUEST_RESET, { email: ann.email })

    for (const { status } of answers) assert.equal(status, 200)
  })

  it('of the mail provider counts for the next request, in every process', async () => {
    await using service = await withMail()
    const { administrator, ann } = await people(service)
    await administrator.saveSettings('email', { provider: null })

    const answers = await atOnce(service, 2, REQUEST_RESET, { email: ann.email })

    for (const { code } of answers) assert.equal(code, 'EMAIL_PROVIDER_UNAVAILABLE')
  })
})

describe('30. without a mail provider', () => {
  it('sign-up works; codes are EMAIL_PROVIDER_UNAVAILABLE and none is written', async () => {
    await using service = await startService()
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
    it(`${isAllowed ? 'allows' : 'refuses'} ${email}`, async () => {
      await using service = await startService()
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
