import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import {
  begin,
  consent,
  enableProvider,
  land,
  signInVia,
  whoIs,
} from '../../../../../test/providers/journey.ts'
import { startOpenIdProvider } from '../../../../../test/providers/openid-provider.ts'
import { changeSettings } from '../../../../../test/service/change-settings.ts'
import { stranger } from '../../../../../test/service/people.ts'
import { type Service, startService } from '../../../../../test/service/service.ts'

/** What the log says of the last failure. */
function whyNot({ log }: Service): string {
  const line = log.lines.findLast(({ message }) => message === 'sign-in failed')
  return String(line?.fields.message)
}

async function withProvider() {
  const provider = await startOpenIdProvider()
  const service = await startService({ env: { PROVIDER_A: provider.preset, TRUSTED_PROXIES: '127.0.0.1' } })
  provider.now = service.clock.now
  await enableProvider(service, 'provider_a')
  return {
    provider,
    service,
    ann: stranger(service),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await provider.stop()
    },
  }
}

describe('sign-in with an OpenID provider', () => {
  it('the first one makes the user with the side effects of creation; the next finds the same', async () => {
    await using world = await withProvider()
    const { ann, service } = world
    ann.cookies.set('registration_utm_source', 'newsletter')

    const landed = await signInVia(ann, 'provider_a', { callbackURL: '/welcome?tour=1' })
    const user = await whoIs(ann)
    const elsewhere = stranger(service)
    await signInVia(elsewhere, 'provider_a')

    assert.equal(landed, '/welcome?tour=1')
    assert.equal(user.email, 'ann@example.com')
    assert.equal(user.emailVerified, true)
    assert.equal(user.name, 'Ann')
    assert.equal(user.image, 'https://pictures.example/ann.png')
    assert.equal(user.registrationUtmSource, 'newsletter')
    assert.match(user.affCode, /^\w{8}$/)
    assert.equal((await whoIs(elsewhere)).id, user.id)
  })

  it('assigns the shard by the continent that a trusted front names', async () => {
    await using world = await withProvider()
    const { ann, service } = world
    const callback = await consent(await begin(ann, 'provider_a'))

    await ann.get(callback, { 'cf-ipcontinent': 'EU' })

    const { id } = await whoIs(ann)
    const row = await service.platform.meta
      .selectFrom('user_shards')
      .selectAll()
      .where('user_id', '=', id)
      .executeTakeFirst()
    assert.equal(row?.shard_id, 'weur-1')
  })

  it('asks for a code with PKCE, nonce and its own callback address', async () => {
    await using world = await withProvider()

    const page = await begin(world.ann, 'provider_a')

    const { searchParams } = page
    assert.equal(page.origin, world.provider.url)
    assert.equal(searchParams.get('response_type'), 'code')
    assert.equal(searchParams.get('code_challenge_method'), 'S256')
    assert.match(searchParams.get('code_challenge') ?? '', /^[\w-]{43}$/)
    assert.match(searchParams.get('nonce') ?? '', /^[\w-]{43}$/)
    assert.equal(searchParams.get('redirect_uri'), 'http://localhost:5173/api/auth/callback/provider_a')
    assert.equal(searchParams.has('client_secret'), false)
  })

  it('an address that changed at the provider changes nothing here', async () => {
    await using world = await withProvider()
    const { ann, provider } = world
    await signInVia(ann, 'provider_a')
    const before = await whoIs(ann)
    provider.person = { ...provider.person, email: 'ann@elsewhere.example' }

    const landed = await signInVia(ann, 'provider_a')

    assert.equal(landed, '/')
    assert.deepEqual(await whoIs(ann), before)
  })

  it('the address can come from the user endpoint instead of the ID token', async () => {
    await using world = await withProvider()
    const { ann, provider } = world
    provider.person = { sub: 'ann-at-provider' }
    provider.personAtEndpoint = { email: 'ann@example.com', email_verified: true, name: 'Ann' }

    await signInVia(ann, 'provider_a')

    assert.equal((await whoIs(ann)).email, 'ann@example.com')
  })

  it('two callbacks of one new person at once make one user', async () => {
    await using world = await withProvider()
    const { service } = world
    const browsers = Array.from({ length: 5 }, () => stranger(service))
    const callbacks = await Promise.all(browsers.map(async (b) => consent(await begin(b, 'provider_a'))))

    const landed = await Promise.all(browsers.map((browser, i) => land(browser, callbacks[i] ?? '')))

    const users = await Promise.all(browsers.map(whoIs))
    assert.deepEqual(new Set(landed), new Set(['/']))
    assert.equal(new Set(users.map((user) => user.id)).size, 1)
  })

  it('discovery is read once an hour', async () => {
    await using world = await withProvider()
    const { ann, provider, service } = world

    await signInVia(ann, 'provider_a')
    await signInVia(ann, 'provider_a')
    assert.equal(provider.discoveries, 1)
    service.clock.advance({ hours: 1 })
    await signInVia(ann, 'provider_a')

    assert.equal(provider.discoveries, 2)
  })
})

describe('a provider that vouches for no address', () => {
  for (const [what, claims] of [
    ['says that it is unverified', { email_verified: false }],
    ['does not say that it is verified', { email_verified: undefined }],
    ['tells none', { email: undefined }],
    ['tells one that can only be made up here', { email: 'community-42@community.local' }],
  ] as const) {
    it(`${what}: the user gets a made-up address, and another's is left alone`, async () => {
      await using world = await withProvider()
      const { ann, provider, service } = world
      const owner = stranger(service, 'ann@example.com')
      await owner.signUp()
      provider.person = { ...provider.person, ...claims }

      const landed = await signInVia(ann, 'provider_a')

      const user = await whoIs(ann)
      assert.equal(landed, '/')
      assert.match(user.email, /^provider_a-[0-9a-f]{40}@community\.local$/)
      assert.equal(user.emailVerified, false)
      assert.notEqual(user.id, owner.id)
    })
  }

  it('is refused if a domain list is set', async () => {
    await using world = await withProvider()
    const { ann, provider, service } = world
    await changeSettings(service, 'authentication', { email_signup_domain_allowlist: ['example.com'] })
    provider.person = { ...provider.person, email_verified: false }

    const landed = await signInVia(ann, 'provider_a', { errorCallbackURL: '/sorry' })

    assert.equal(landed, '/sorry?error=email_not_verified')
    assert.equal(await whoIs(ann), undefined)
  })
})

describe('the first sign-in obeys the rules of registration', () => {
  it('registration off: refused, while existing users get in', async () => {
    await using world = await withProvider()
    const { ann, provider, service } = world
    await signInVia(ann, 'provider_a')
    await changeSettings(service, 'authentication', { registration_enabled: false })
    const ben = stranger(service)

    assert.equal(await signInVia(ann, 'provider_a'), '/')
    provider.person = { ...provider.person, sub: 'ben-at-provider', email: 'ben@example.com' }
    assert.equal(await signInVia(ben, 'provider_a'), '/sign-in?error=registration_disabled')
    assert.equal(await whoIs(ben), undefined)
  })

  it('the domain list applies to the address that the provider has verified', async () => {
    await using world = await withProvider()
    const { ann, provider, service } = world
    await changeSettings(service, 'authentication', { email_signup_domain_allowlist: ['corp.example'] })

    assert.equal(await signInVia(ann, 'provider_a'), '/sign-in?error=email_domain_not_allowed')
    provider.person = { ...provider.person, email: 'ann@corp.example' }
    assert.equal(await signInVia(ann, 'provider_a'), '/')
  })

  it('an address that another account has does not open that account', async () => {
    await using world = await withProvider()
    const { ann, service } = world
    const owner = stranger(service, 'ann@example.com')
    await owner.signUp()

    const landed = await signInVia(ann, 'provider_a', { errorCallbackURL: '/sign-in?from=a#top' })

    assert.equal(landed, '/sign-in?from=a&error=account_not_linked#top')
    assert.equal(await whoIs(ann), undefined)
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
    ['an ID token whose subject has half a character', { sub: 'ann\ud800' }, /sub/],
  ] as const) {
    it(`${what} lands on the error page`, async () => {
      await using world = await withProvider()
      const { ann, provider, service } = world
      provider.spoil = spoil

      const landed = await signInVia(ann, 'provider_a', { errorCallbackURL: '/sorry' })

      assert.equal(landed, '/sorry?error=provider_error')
      assert.match(whyNot(service), reason)
      assert.equal(await whoIs(ann), undefined)
    })
  }

  it('a signature by a key that the provider does not publish lands on the error page', async () => {
    await using world = await withProvider()
    const { ann, provider } = world
    await provider.signWithStrangeKey()

    assert.equal(await signInVia(ann, 'provider_a'), '/sign-in?error=provider_error')
    assert.equal(await whoIs(ann), undefined)
  })

  for (const [what, redirect, code] of [
    ['consent denied', { code: undefined, error: 'access_denied' }, 'access_denied'],
    ['a redirect mismatch', { code: undefined, error: 'redirect_uri_mismatch' }, 'redirect_uri_mismatch'],
    ['any other error', { code: undefined, error: '<script>' }, 'provider_error'],
    [
      'a provider that is busy',
      { code: undefined, error: 'temporarily_unavailable' },
      'provider_unavailable',
    ],
    ['another issuer in `iss`', { iss: 'https://evil.example' }, 'provider_error'],
    ['a code of its own making', { code: 'guessed' }, 'provider_error'],
    ['no code at all', { code: undefined }, 'provider_error'],
  ] as const) {
    it(`${what} lands with ${code}`, async () => {
      await using world = await withProvider()
      const { ann, provider } = world
      provider.redirect = redirect

      const landed = await signInVia(ann, 'provider_a')

      assert.equal(landed, `/sign-in?error=${code}`)
      assert.equal(await whoIs(ann), undefined)
    })
  }

  it('the right issuer in `iss` is fine', async () => {
    await using world = await withProvider()
    const { ann, provider } = world
    provider.redirect = { iss: provider.url }

    assert.equal(await signInVia(ann, 'provider_a'), '/')
  })

  for (const [what, configuration] of [
    ['a script as its sign-in page', { authorization_endpoint: 'javascript:alert(1)//' }],
    ['a page in the address itself', { authorization_endpoint: 'data:text/html,x' }],
    ['a sign-in page without an address', { authorization_endpoint: 'sign-in' }],
    ['keys on no server', { jwks_uri: 'file:///etc/passwd' }],
    ['a number as its ways to authenticate', { token_endpoint_auth_methods_supported: 5 }],
  ] as const) {
    it(`a configuration that names ${what} begins no sign-in`, async () => {
      await using world = await withProvider()
      const { ann, provider } = world
      provider.configuration = configuration

      const { status, body } = await ann.post('/api/auth/sign-in/social', { provider: 'provider_a' })

      assert.deepEqual([status, body.code], [503, 'PROVIDER_UNAVAILABLE'])
    })
  }

  it('an unreachable provider leads to provider_unavailable, and no sign-in begins', async () => {
    await using world = await withProvider()
    const { ann, provider, service } = world
    const callback = await consent(await begin(ann, 'provider_a'))
    await provider.stop()

    assert.equal(await land(ann, callback), '/sign-in?error=provider_unavailable')
    service.clock.advance({ hours: 1 })
    const { status, body } = await ann.post('/api/auth/sign-in/social', { provider: 'provider_a' })
    assert.deepEqual([status, body.code], [503, 'PROVIDER_UNAVAILABLE'])
    assert.equal(await whoIs(ann), undefined)
  })
})
