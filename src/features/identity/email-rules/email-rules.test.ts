import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { it } from '../../../../test/service/it.ts'
import { Person, stranger } from '../../../../test/service/people.ts'
import { ConfigError, readConfig } from '../../../config/config.ts'

const OTP_SIGN_IN = '/api/auth/sign-in/email-otp'

describe('email rule 1: a code never signs in', () => {
  const json = { 'content-type': 'application/json' }
  const requests: readonly (readonly [string, RequestInit])[] = [
    ['a sound body', { method: 'POST', headers: json, body: '{"email":"ann@example.com","otp":"123456"}' }],
    ['a broken body', { method: 'POST', headers: json, body: '{' }],
    ['no body', { method: 'POST' }],
    ['a huge body', { method: 'POST', headers: json, body: 'x'.repeat(2 * 1024 * 1024) }],
    ['a form', { method: 'POST', headers: { cookie: 'session=x' }, body: new URLSearchParams({ a: 'b' }) }],
    ['a foreign origin', { method: 'POST', headers: { cookie: 'a=b', origin: 'https://evil.example' } }],
    ['GET', { method: 'GET' }],
    ['PUT', { method: 'PUT', body: 'x' }],
    ['DELETE', { method: 'DELETE' }],
    ['OPTIONS', { method: 'OPTIONS' }],
  ]
  for (const [what, init] of requests) {
    it(`is 400 for ${what}`, async ({ service }) => {
      const answer = await stranger(service).send(OTP_SIGN_IN, init)

      assert.deepEqual([answer.status, answer.body.code], [400, 'EMAIL_OTP_SIGN_IN_DISABLED'])
      assert.match(answer.headers.get('x-db-meta-bookmark') ?? '', /./)
    })
  }
})

describe('email rule 2: registration', () => {
  it('off refuses sign-up and creates no user; on again, the next request passes in every process', async ({
    service,
  }) => {
    const carl = stranger(service)
    await changeSettings(service, 'authentication', { registration_enabled: false })

    const refused = await carl.signUp()
    await changeSettings(service, 'authentication', { registration_enabled: true })
    const accepted = await carl.signUp()

    assert.deepEqual([refused.status, refused.body.code], [403, 'REGISTRATION_DISABLED'])
    assert.equal(accepted.status, 200)
  })
})

describe('email rule 3: providers', () => {
  it('unset, sign-up without verification works', async ({ service }) => {
    assert.equal((await stranger(service).signUp()).status, 200)
  })

  it('unset, sign-up with verification is refused: its code could never arrive', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_verification_required: true })

    const answer = await stranger(service).signUp()

    assert.deepEqual([answer.status, answer.body.code], [400, 'EMAIL_PROVIDER_UNAVAILABLE'])
  })
})

describe('email rules 2 and 3, and the change of an address, come before the input is validated', () => {
  const json = { 'content-type': 'application/json' }
  const bodies: readonly (readonly [string, RequestInit])[] = [
    ['an empty object', { headers: json, body: '{}' }],
    ['a broken body', { headers: json, body: '{' }],
    ['no body', {}],
    ['a huge body', { headers: json, body: 'x'.repeat(2 * 1024 * 1024) }],
    ['a form with a cookie', { headers: { cookie: 'a=b' }, body: new URLSearchParams({ a: 'b' }) }],
  ]
  const actions = ['send-verification-otp', 'verify-email', 'request-password-reset', 'reset-password']

  for (const [what, init] of bodies) {
    it(`for ${what}`, async ({ service }) => {
      const carl = stranger(service)
      await changeSettings(service, 'authentication', { registration_enabled: false })
      const codeAt = async (path: string) => {
        const { status, body } = await carl.send(`/api/auth/${path}`, { method: 'POST', ...init })
        return `${status} ${body.code}`
      }

      const signUp = await codeAt('sign-up/email')
      const emailActions = await Promise.all(actions.map((action) => codeAt(`email-otp/${action}`)))
      const emailChange = await codeAt('change-email')

      assert.equal(signUp, '403 REGISTRATION_DISABLED')
      assert.deepEqual(new Set(emailActions), new Set(['400 EMAIL_PROVIDER_UNAVAILABLE']))
      assert.equal(emailChange, '400 EMAIL_CHANGE_DISABLED')
    })
  }
})

describe('what an address is', () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ['ann@example.com', true],
    ["o'neill+news@mail.example.co.uk", true],
    ['ann@xn--bcher-kva.example', true],
    ['ann@xn--80ak6aa92e.xn--p1ai', true],
    [`ann@${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example`, true],
    ['a..b@example.com', false],
    ['.ann@example.com', false],
    ['ann@exämple.com', false],
    ['ann@example', false],
    ['ann@192.0.2.1', false],
    ['ann@-example.com', false],
    ['ann ben@example.com', false],
    ['"ann ben"@example.com', false],
    [`${'a'.repeat(65)}@example.com`, false],
    [`ann@${`${'a'.repeat(60)}.`.repeat(4)}example.com`, false],
  ]
  for (const [email, isAddress] of cases) {
    it(`is one rule for sign-up, SYSTEM_EMAIL, settings and test mails: ${email}`, async ({ service }) => {
      const administrator = new Person(service, service.administrator.email, service.administrator.password)
      await administrator.signIn()
      const domain = email.slice(email.lastIndexOf('@') + 1)
      await administrator.saveSettings('email', { provider: 'smtp' })

      const signedUp = await stranger(service, email).signUp()
      const tested = await administrator.post('/api/admin/send_test_email', { to: email })

      assert.equal(signedUp.status, isAddress ? 200 : 400, JSON.stringify(signedUp.body))
      assert.equal(tested.status, isAddress ? 200 : 400, JSON.stringify(tested.body))
      assert.equal(isSystemEmail(email), isAddress)
      if (isAddress)
        await administrator.saveSettings('authentication', { email_signup_domain_allowlist: [domain] })
    })
  }

  it('a name can be as long as an address', async ({ service }) => {
    const fits = await stranger(service).signUp({ name: 'n'.repeat(254) })
    const exceeds = await stranger(service, 'ann@example.com').signUp({ name: 'n'.repeat(255) })

    assert.deepEqual([fits.status, exceeds.status], [200, 400])
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

describe('email rule 4: allowed domains', () => {
  const allowed = ['x.com', 'Y.Example']
  const cases: readonly (readonly [string, string, number])[] = [
    ['the domain itself', 'ann@x.com', 200],
    ['another case', 'ann@X.COM', 200],
    ['an entry in another case', 'ann@y.example', 200],
    ['a domain that ends alike', 'ann@evil-x.com', 400],
    ['a domain that begins alike', 'ann@x.com.evil.com', 400],
    ['a sub-domain', 'ann@mail.x.com', 400],
    ['a parent domain', 'ann@example', 400],
    ['a trailing dot', 'ann@x.com.', 400],
    ['several @', 'ann@x.com@evil.com', 400],
    ['several @, the allowed one last', 'ann@evil.com@x.com', 400],
    ['a quoted @', '"ann@x.com"@evil.com', 400],
  ]
  for (const [what, email, status] of cases) {
    it(`${what} is ${status}: ${email}`, async ({ service }) => {
      await changeSettings(service, 'authentication', { email_signup_domain_allowlist: allowed })

      const answer = await stranger(service, email).signUp()

      assert.equal(answer.status, status, JSON.stringify(answer.body))
    })
  }

  it('a domain outside the list has its own code', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_signup_domain_allowlist: allowed })

    const answer = await stranger(service, 'ann@evil-x.com').signUp()

    assert.equal(answer.body.code, 'EMAIL_DOMAIN_NOT_ALLOWED')
  })

  it('an empty list allows every domain, except that of community accounts', async ({ service }) => {
    assert.equal((await stranger(service, 'ann@anything.example').signUp()).status, 200)
    assert.equal((await stranger(service, 'community-42@community.local').signUp()).status, 400)
    assert.equal((await stranger(service, 'a@Sub.Community.Local').signUp()).status, 400)
  })
})
