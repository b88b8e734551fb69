import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { ConfigError, readConfig } from '../../../src/config/config.ts'
import { assertRefused } from '../../service/answers.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { it } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'
import { atOnce, REQUEST_RESET, RESET, SEND, VERIFY } from '../support/codes.ts'

const SIGN_UP = '/api/auth/sign-up/email'
const JSON_TYPE = { 'content-type': 'application/json' }
const BODIES: readonly (readonly [string, RequestInit])[] = [
  ['a sound body', { headers: JSON_TYPE, body: '{"email":"a@x.com","otp":"123456"}' }],
  ['an empty object', { headers: JSON_TYPE, body: '{}' }],
  ['a broken body', { headers: JSON_TYPE, body: '{' }],
  ['no body', {}],
  ['a huge body', { headers: JSON_TYPE, body: 'x'.repeat(2 * 1024 * 1024) }],
  ['a form with a cookie', { headers: { cookie: 'session=x' }, body: new URLSearchParams({ a: 'b' }) }],
]
const CARL = { email: 'carl@example.com', password: 'an owl under the roof', name: 'Carl' }

describe('20. the OTP sign-in path (email rule 1)', () => {
  for (const [what, init] of [
    ...BODIES.map(([what, init]) => [what, { method: 'POST', ...init }] as const),
    ['a foreign origin', { method: 'POST', headers: { cookie: 'a=b', origin: 'https://evil.example' } }],
    ['GET', { method: 'GET' }],
    ['PUT', { method: 'PUT', body: 'x' }],
    ['DELETE', { method: 'DELETE' }],
    ['OPTIONS', { method: 'OPTIONS' }],
  ] as const) {
    it(`is refused for ${what}`, async ({ service }) => {
      const answer = await stranger(service).send('/api/auth/sign-in/email-otp', init)

      assertRefused(answer, 'EMAIL_OTP_SIGN_IN_DISABLED')
      assert.match(answer.headers.get('x-db-meta-bookmark') ?? '', /./)
    })
  }
})

describe('29. a change of settings (email rules 2 and 4)', () => {
  it.override('settings', { ...WITH_MAIL, authentication: NO_COOLDOWN })

  for (const [what, part, fields, path, code] of [
    ['registration', 'authentication', { registration_enabled: false }, SIGN_UP, 'REGISTRATION_DISABLED'],
    [
      'the domain list',
      'authentication',
      { email_signup_domain_allowlist: ['other.example'] },
      SIGN_UP,
      'EMAIL_DOMAIN_NOT_ALLOWED',
    ],
    ['the mail provider', 'email', { provider: null }, REQUEST_RESET, 'EMAIL_PROVIDER_UNAVAILABLE'],
  ] as const) {
    it(`of ${what} counts for the next request, everywhere`, async ({ service, administrator }) => {
      await atOnce(service, '/api/auth/sign-in/email', [CARL, CARL])
      await administrator.saveSettings(part, fields)
      const refused = await atOnce(service, path, [CARL, CARL])
      await administrator.saveSettings('authentication', {
        registration_enabled: true,
        email_signup_domain_allowlist: [],
      })
      await administrator.saveSettings('email', { provider: 'smtp' })
      const accepted = await atOnce(service, path, [CARL, { ...CARL, email: 'dora@example.com' }])

      for (const answer of refused) assertRefused(answer, code)
      for (const { status } of accepted) assert.equal(status, 200)
    })
  }
})

describe('30. without a mail provider (email rule 3)', () => {
  it('sign-up works; codes are EMAIL_PROVIDER_UNAVAILABLE and nothing is written', async ({ service }) => {
    const carl = stranger(service)
    const { email } = carl

    assert.equal((await carl.signUp()).status, 200)
    for (const [path, extra] of [
      [SEND, { type: 'email-verification' }],
      [VERIFY, { otp: '123456' }],
      [REQUEST_RESET, {}],
      [RESET, { otp: '123456', password: 'a brand new one' }],
    ] as const) {
      assertRefused(await carl.post(path, { email, ...extra }), 'EMAIL_PROVIDER_UNAVAILABLE')
    }

    const { meta } = service.platform
    for (const table of ['mailed_code', 'letter_queue'] as const)
      assert.deepEqual(await meta.selectFrom(table).select('id').execute(), [])
    const windows = meta.selectFrom('key_value').select('key').where('key', 'like', '%:request_%')
    assert.deepEqual(await windows.execute(), [])
  })

  it('a sign-up that has to be verified is refused: its code could never arrive', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_verification_required: true })

    assertRefused(await stranger(service).signUp(), 'EMAIL_PROVIDER_UNAVAILABLE')
  })
})

describe('email rules 2 and 3, and the change of an address, come before the input is validated', () => {
  for (const [what, init] of BODIES) {
    it(`for ${what}`, async ({ service }) => {
      const carl = stranger(service)
      await changeSettings(service, 'authentication', { registration_enabled: false })
      const send = (path: string) => carl.send(path, { method: 'POST', ...init })

      assertRefused(await send(SIGN_UP), 'REGISTRATION_DISABLED')
      assertRefused(await send('/api/auth/change-email'), 'EMAIL_CHANGE_DISABLED')
      for (const path of [SEND, VERIFY, REQUEST_RESET, RESET])
        assertRefused(await send(path), 'EMAIL_PROVIDER_UNAVAILABLE')
    })
  }
})

describe('what an address is', () => {
  it.override('settings', WITH_MAIL)

  for (const [isAddress, addresses] of [
    [
      true,
      [
        'nora@example.com',
        "o'neill+news@mail.example.co.uk",
        'ann@xn--bcher-kva.example',
        'ann@xn--80ak6aa92e.xn--p1ai',
        `ann@${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example`,
      ],
    ],
    [
      false,
      [
        'a..b@example.com',
        '.ann@example.com',
        'ann@exämple.com',
        'ann@example',
        'ann@192.0.2.1',
        'ann@-example.com',
        'ann ben@example.com',
        '"ann ben"@example.com',
        `${'a'.repeat(65)}@example.com`,
        `ann@${`${'a'.repeat(60)}.`.repeat(4)}example.com`,
      ],
    ],
  ] as const) {
    it(`is one rule wherever one is given: ${isAddress}`, async ({ service, administrator }) => {
      const expected = isAddress ? 200 : 400
      for (const email of addresses) {
        const signedUp = await stranger(service, email).signUp({ name: 'Someone' })
        const tested = await administrator.post('/api/admin/send_test_email', { to: email })

        assert.deepEqual([signedUp.status, tested.status], [expected, expected], email)
        assert.equal(isSystemEmail(email), isAddress, email)
      }
      if (isAddress) {
        const domains = addresses.map((email) => email.slice(email.lastIndexOf('@') + 1))
        await administrator.saveSettings('authentication', { email_signup_domain_allowlist: domains })
      }
    })
  }

  it('a name can be as long as an address', async ({ service }) => {
    assert.equal((await stranger(service).signUp({ name: 'n'.repeat(254) })).status, 200)
    assert.equal((await stranger(service, 'dora@example.com').signUp({ name: 'n'.repeat(255) })).status, 400)
  })
})

function isSystemEmail(address: string): boolean {
  try {
    readConfig({ SYSTEM_EMAIL: address })
    return true
  } catch (error) {
    if (error instanceof ConfigError) return false
    throw error
  }
}

describe('31. the list of domains (email rule 4)', () => {
  const allowed = { authentication: { email_signup_domain_allowlist: ['x.com', 'Y.Example'] } }
  it.override('settings', allowed)

  for (const [what, email] of [
    ['the domain itself', 'ann@x.com'],
    ['another case', 'ann@X.COM'],
    ['an entry in another case', 'ann@y.example'],
  ] as const) {
    it(`allows ${what}: ${email}`, async ({ service }) => {
      assert.equal((await stranger(service, email).signUp()).status, 200)
    })
  }

  for (const [what, email, code] of [
    ['a domain that ends alike', 'ann@evil-x.com', 'EMAIL_DOMAIN_NOT_ALLOWED'],
    ['a domain that begins alike', 'ann@x.com.evil.com', 'EMAIL_DOMAIN_NOT_ALLOWED'],
    ['a shorter domain', 'ann@x.co', 'EMAIL_DOMAIN_NOT_ALLOWED'],
    ['a sub-domain', 'ann@mail.x.com', 'EMAIL_DOMAIN_NOT_ALLOWED'],
    ['a parent domain', 'ann@example', 'INVALID_REQUEST'],
    ['a trailing dot', 'ann@x.com.', 'INVALID_REQUEST'],
    ['several @', 'ann@x.com@evil.com', 'INVALID_REQUEST'],
    ['several @, the allowed one last', 'ann@evil.com@x.com', 'INVALID_REQUEST'],
    ['a quoted @', '"ann@x.com"@evil.com', 'INVALID_REQUEST'],
  ] as const) {
    it(`refuses ${what}: ${email}`, async ({ service }) => {
      assertRefused(await stranger(service, email).signUp(), code)
    })
  }
})

describe('an empty list of domains', () => {
  it('allows every one, except that of community accounts', async ({ service }) => {
    const statusOf = async (email: string) => (await stranger(service, email).signUp()).status

    assert.equal(await statusOf('ann@anything.example'), 200)
    assert.equal(await statusOf('community-42@community.local'), 400)
    assert.equal(await statusOf('a@Sub.Community.Local'), 400)
  })
})
