import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../../../../test/providers/it.ts'
import { begin, consent, land, signInVia, whoIs } from '../../../../../../test/providers/journey.ts'
import { assertRefused } from '../../../../../../test/service/answers.ts'
import { changeSettings } from '../../../../../../test/service/change-settings.ts'
import { newcomer, stranger } from '../../../../../../test/service/people.ts'
import type { Service } from '../../../../../../test/service/service.ts'

/** The log's reason for the last failure. */
function whyNot({ log }: Service): string {
  const line = log.lines.findLast(({ message }) => message === 'sign-in failed')
  return String(line?.fields.message)
}

describe('sign-in with an OpenID provider', () => {
  it('creates the user with everything a user has; the next one finds the user', async ({
    service,
    openId,
    visitor,
  }) => {
    visitor.cookies.set('registration_utm_source', 'newsletter')

    const callback = await consent(await begin(visitor, 'provider_a', { callbackURL: '/welcome?tour=1' }))
    const { headers } = await visitor.get(callback, { 'cf-ipcontinent': 'EU' })
    const user = await whoIs(visitor)
    const elsewhere = stranger(service)
    await signInVia(elsewhere, 'provider_a')

    assert.equal(headers.get('location'), '/welcome?tour=1')
    assert.deepEqual([user.email, user.emailVerified, user.name], ['ann@example.com', true, 'Ann'])
    assert.equal(user.image, `${openId.url}/ann.png`)
    assert.equal(user.registrationUtmSource, 'newsletter')
    assert.match(user.affCode, /^\w{8}$/)
    assert.equal((await whoIs(elsewhere)).id, user.id)
    const shards = service.platform.meta.selectFrom('user_shards').select('shard_id')
    assert.deepEqual(await shards.where('user_id', '=', user.id).execute(), [{ shard_id: 'weur-1' }])
  })

  it('asks for a code with PKCE, nonce and its own callback address', async ({ openId, visitor }) => {
    const { origin, searchParams } = await begin(visitor, 'provider_a')

    assert.equal(origin, openId.url)
    const sent = Object.fromEntries(searchParams)
    assert.deepEqual([sent.response_type, sent.code_challenge_method], ['code', 'S256'])
    for (const secret of [sent.code_challenge, sent.nonce]) assert.match(secret ?? '', /^[\w-]{43}$/)
    assert.equal(sent.redirect_uri, 'http://localhost:5173/api/auth/callback/provider_a')
    assert.equal(sent.client_secret, undefined)
  })

  it('ignores an address that has changed at the provider', async ({ openId, visitor }) => {
    await signInVia(visitor, 'provider_a')
    const before = await whoIs(visitor)
    openId.person = { ...openId.person, email: 'ann@elsewhere.example' }

    assert.equal(await signInVia(visitor, 'provider_a'), '/')
    assert.deepEqual(await whoIs(visitor), before)
  })

  it('takes the address from the user endpoint if the ID token has none', async ({ openId, visitor }) => {
    openId.person = { sub: 'ann-at-provider' }
    openId.personAtEndpoint = { email: 'ann@example.com', email_verified: true, name: 'Ann' }

    await signInVia(visitor, 'provider_a')

    assert.equal((await whoIs(visitor)).email, 'ann@example.com')
  })

  it('creates one user from two simultaneous callbacks of one new person', async ({ service }) => {
    const browsers = Array.from({ length: 5 }, () => stranger(service))
    const callbacks = await Promise.all(browsers.map(async (b) => consent(await begin(b, 'provider_a'))))

    const landed = await Promise.all(browsers.map((browser, i) => land(browser, callbacks[i] ?? '')))

    const users = await Promise.all(browsers.map(whoIs))
    assert.deepEqual(new Set(landed), new Set(['/']))
    assert.equal(new Set(users.map((user) => user.id)).size, 1)
  })

  it('reads the discovery document once an hour', async ({ openId, service, visitor }) => {
    await signInVia(visitor, 'provider_a')
    await signInVia(visitor, 'provider_a')
    assert.equal(openId.discoveries, 1)
    service.clock.advance({ hours: 1 })
    await signInVia(visitor, 'provider_a')

    assert.equal(openId.discoveries, 2)
  })

  it('accepts the right issuer in `iss`', async ({ openId, visitor }) => {
    openId.redirect = { iss: openId.url }

    assert.equal(await signInVia(visitor, 'provider_a'), '/')
  })
})

describe('a provider that vouches for no address', () => {
  for (const [what, claims] of [
    ['says that it is unverified', { email_verified: false }],
    ['does not say that it is verified', { email_verified: undefined }],
    ['says that it is verified in another type', { email_verified: 'false' }],
    ['says it with a number', { email_verified: 0 }],
    ['says it with null', { email_verified: null }],
    ['sends none', { email: undefined }],
    ['sends a synthetic one', { email: 'community-42@community.local' }],
  ] as const) {
    it(`13. ${what}: another's account is left alone`, async ({ openId, service, visitor }) => {
      const owner = await newcomer(service, 'ann@example.com')
      openId.person = { ...openId.person, ...claims }

      const landed = await signInVia(visitor, 'provider_a')

      const user = await whoIs(visitor)
      assert.equal(landed, '/')
      assert.match(user.email, /^provider_a-[0-9a-f]{40}@community\.local$/)
      assert.equal(user.emailVerified, false)
      assert.notEqual(user.id, owner.id)
      assert.equal((await owner.get('/api/auth/list-accounts')).body.length, 1)
    })
  }

  it('is refused if a domain list is set', async ({ openId, service, visitor }) => {
    await changeSettings(service, 'authentication', { email_signup_domain_allowlist: ['example.com'] })
    openId.person = { ...openId.person, email_verified: false }

    const landed = await signInVia(visitor, 'provider_a', { errorCallbackURL: '/sorry' })

    assert.equal(landed, '/sorry?error=email_not_verified')
    assert.equal(await whoIs(visitor), undefined)
  })
})

describe('the first sign-in obeys the rules of registration', () => {
  it('refuses newcomers while registration is off, but not existing users', async ({ openId, service, visitor }) => {
    await signInVia(visitor, 'provider_a')
    await changeSettings(service, 'authentication', { registration_enabled: false })
    const ben = stranger(service)

    assert.equal(await signInVia(visitor, 'provider_a'), '/')
    openId.person = { ...openId.person, sub: 'ben-at-provider', email: 'ben@example.com' }
    assert.equal(await signInVia(ben, 'provider_a'), '/sign-in?error=registration_disabled')
    assert.equal(await whoIs(ben), undefined)
  })

  it('the domain list applies to the verified address', async ({ openId, service, visitor }) => {
    await changeSettings(service, 'authentication', { email_signup_domain_allowlist: ['corp.example'] })

    assert.equal(await signInVia(visitor, 'provider_a'), '/sign-in?error=email_domain_not_allowed')
    openId.person = { ...openId.person, email: 'ann@corp.example' }
    assert.equal(await signInVia(visitor, 'provider_a'), '/')
  })

  it('13. a verified address of another account does not open that account', async ({ service, visitor }) => {
    await newcomer(service, 'ann@example.com')

    const landed = await signInVia(visitor, 'provider_a', { errorCallbackURL: '/sign-in?from=a#top' })

    assert.equal(landed, '/sign-in?from=a&error=account_not_linked#top')
    assert.equal(await whoIs(visitor), undefined)
  })
})

describe('an invalid answer of the provider signs nobody in', () => {
  for (const [what, spoil, reason] of [
    ['a wrong nonce', { nonce: 'another' }, /nonce/],
    ['an ID token without nonce', { nonce: undefined }, /nonce/],
    ['an expired ID token', { exp: Date.UTC(2026, 10, 21, 11) / 1000 }, /"exp"/],
    ['an ID token of another issuer', { iss: 'https://evil.example' }, /"iss"/],
    ['an ID token for another client', { aud: 'another-client' }, /"aud"/],
    ['an ID token for several clients that names another', { aud: ['the-client', 'x'], azp: 'x' }, /"azp"/],
    ['an ID token without subject', { sub: undefined }, /"sub"/],
    ['an ID token whose subject is a number', { sub: 42 }, /"sub"/],
    ['an ID token whose subject has a zero byte', { sub: 'ann\0at-provider' }, /sub/],
    ['an ID token whose subject has a lone surrogate', { sub: 'ann\ud800' }, /sub/],
  ] as const) {
    it(`${what} lands on the error page`, async ({ openId, service, visitor }) => {
      openId.spoil = spoil

      const landed = await signInVia(visitor, 'provider_a', { errorCallbackURL: '/sorry' })

      assert.equal(landed, '/sorry?error=provider_error')
      assert.match(whyNot(service), reason)
      assert.equal(await whoIs(visitor), undefined)
    })
  }

  it('a signature by an unpublished key lands on the error page', async ({ openId, visitor }) => {
    await openId.signWithStrangeKey()

    assert.equal(await signInVia(visitor, 'provider_a'), '/sign-in?error=provider_error')
    assert.equal(await whoIs(visitor), undefined)
  })

  for (const [what, redirect, code] of [
    ['consent denied', { code: undefined, error: 'access_denied' }, 'access_denied'],
    ['a redirect mismatch', { code: undefined, error: 'redirect_uri_mismatch' }, 'redirect_uri_mismatch'],
    ['any other error', { code: undefined, error: '<script>' }, 'provider_error'],
    ['a busy provider', { code: undefined, error: 'temporarily_unavailable' }, 'provider_unavailable'],
    ['another issuer in `iss`', { iss: 'https://evil.example' }, 'provider_error'],
    ['a guessed code', { code: 'guessed' }, 'provider_error'],
    ['no code at all', { code: undefined }, 'provider_error'],
  ] as const) {
    it(`${what} lands with ${code}`, async ({ openId, visitor }) => {
      openId.redirect = redirect

      assert.equal(await signInVia(visitor, 'provider_a'), `/sign-in?error=${code}`)
      assert.equal(await whoIs(visitor), undefined)
    })
  }

  for (const [what, configuration] of [
    ['a script as its sign-in page', { authorization_endpoint: 'javascript:alert(1)//' }],
    ['a data URL as its sign-in page', { authorization_endpoint: 'data:text/html,x' }],
    ['a relative address as its sign-in page', { authorization_endpoint: 'sign-in' }],
    ['a local file as its keys', { jwks_uri: 'file:///etc/passwd' }],
    ['a number as its authentication methods', { token_endpoint_auth_methods_supported: 5 }],
  ] as const) {
    it(`a configuration that names ${what} begins no sign-in`, async ({ openId, visitor }) => {
      openId.configuration = configuration

      const answer = await visitor.post('/api/auth/sign-in/social', { provider: 'provider_a' })

      assertRefused(answer, 'PROVIDER_UNAVAILABLE')
    })
  }

  it('an unreachable provider is unavailable; no sign-in begins', async ({ openId, service, visitor }) => {
    const callback = await consent(await begin(visitor, 'provider_a'))
    await openId.stop()

    assert.equal(await land(visitor, callback), '/sign-in?error=provider_unavailable')
    service.clock.advance({ hours: 1 })
    const answer = await visitor.post('/api/auth/sign-in/social', { provider: 'provider_a' })
    assertRefused(answer, 'PROVIDER_UNAVAILABLE')
    assert.equal(await whoIs(visitor), undefined)
  })
})
