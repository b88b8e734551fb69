import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it as base } from '../../../../../test/providers/it.ts'
import { begin, consent, enableProvider, land, signInVia, whoIs } from '../../../../../test/providers/journey.ts'
import { type PlainProvider, startPlainProvider } from '../../../../../test/providers/plain-provider.ts'
import { assertRefused } from '../../../../../test/service/answers.ts'
import { bearer, register, tokensFor } from '../../../../../test/service/applications.ts'
import { changeSettings } from '../../../../../test/service/change-settings.ts'
import { it as withService } from '../../../../../test/service/it.ts'
import { people, stranger } from '../../../../../test/service/people.ts'
import { type Service, startService } from '../../../../../test/service/service.ts'

const MEMBER = {
  id: 42,
  username: 'ann',
  name: 'Ann',
  avatar_template: '/user_avatar/ann/{size}/7.png',
  email: 'ben@example.com',
}
const SECOND = { email: 'other@example.com', primary: false, verified: true }
const FIRST = { email: 'ann@example.com', primary: true, verified: true }
const TOKENS = '/login/oauth/access_token'

interface Given {
  readonly service: Service
  readonly forum: PlainProvider
  readonly github: PlainProvider
}

const it = base.extend<Given>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  github: async ({}, use) => {
    await using provider = await startPlainProvider('github', { '/api/v3/user/emails': [SECOND, FIRST] })
    const avatar_url = `${provider.url}/avatars/7`
    provider.resources['/api/v3/user'] = { id: 7, login: 'ann', name: null, avatar_url }
    await use(provider)
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  forum: async ({}, use) => {
    await using provider = await startPlainProvider('community', { '/api/user': MEMBER })
    await use(provider)
  },
  service: async ({ github, forum }, use) => {
    const env = {
      PROVIDER_B: `github:${github.url}`,
      COMMUNITY_AUTH_URL: forum.url,
      COMMUNITY_NAME: 'Forum',
      TRUSTED_ORIGINS: 'https://app.example.com',
    }
    await using service = await startService({ env })
    await enableProvider(service, 'provider_b')
    await enableProvider(service, 'community')
    await use(service)
  },
})

/** Sets the member whom the forum describes from now on. */
const tell = (forum: PlainProvider, member: unknown) => {
  forum.resources = { '/api/user': member }
}

describe('community', () => {
  it('is called at its three endpoints, and gives the user a synthetic address and a picture', async ({
    forum,
    visitor,
  }) => {
    const landed = await signInVia(visitor, 'community', { callbackURL: '/home' })

    const user = await whoIs(visitor)
    assert.equal(landed, '/home')
    assert.deepEqual([user.email, user.emailVerified], ['community-42@community.local', false])
    assert.deepEqual([user.name, user.image], ['Ann', `${forum.url}/user_avatar/ann/240/7.png`])
    assert.deepEqual(
      forum.asked.map((url) => url.pathname),
      ['/oauth2/authorize', '/oauth2/token', '/api/user'],
    )
  })

  it('has lower-case addresses; ids that differ only in case are two users, and a search finds both', async ({
    service,
    forum,
    visitor,
  }) => {
    const { administrator } = await people(service)
    const other = stranger(service)
    tell(forum, { id: 'Alice', name: 'One' })
    await signInVia(visitor, 'community')
    tell(forum, { id: 'alice', name: 'Two' })
    await signInVia(other, 'community')

    const emails = [(await whoIs(visitor)).email, (await whoIs(other)).email]

    assert.deepEqual(emails, ['community-alice+3bc51062973c458d@community.local', 'community-alice@community.local'])
    for (const search of ['alice', 'Alice', ...emails]) {
      const { total } = (await administrator.post('/api/admin/list_users', { search })).body
      assert.equal(total, search === emails[0] || search === emails[1] ? 1 : 2, search)
    }
  })

  it('checklist 101: its name for a user is cleaned to one line', async ({ forum, visitor }) => {
    tell(forum, { ...MEMBER, name: 'Ann\nCall\u202enow' })

    await signInVia(visitor, 'community')

    assert.equal((await whoIs(visitor)).name, 'Ann Call now')
  })

  it('is refused if it sends more than 1 MiB about a member', async ({ forum, visitor }) => {
    const room = 1024 * 1024 - JSON.stringify({ ...MEMBER, more: '' }).length
    tell(forum, { ...MEMBER, more: 'x'.repeat(room + 1) })
    const refused = await signInVia(visitor, 'community')
    tell(forum, { ...MEMBER, more: 'x'.repeat(room) })

    assert.deepEqual([refused, await signInVia(visitor, 'community')], ['/sign-in?error=provider_error', '/'])
  })

  for (const [status, error] of [
    [401, 'invalid_client'],
    [400, 'unauthorized_client'],
  ] as const) {
    it(`is reported if it refuses the client with ${status} ${error}`, async ({ forum, visitor }) => {
      forum.broken.set('/oauth2/token', { status, body: { error } })

      assert.equal(await signInVia(visitor, 'community'), '/sign-in?error=provider_misconfigured')
    })
  }

  it('is asked with PKCE and without a nonce', async ({ visitor }) => {
    const { searchParams } = await begin(visitor, 'community')

    assert.equal(searchParams.get('code_challenge_method'), 'S256')
    assert.equal(searchParams.has('nonce'), false)
    assert.equal(searchParams.get('redirect_uri'), 'http://localhost:5173/api/auth/oauth2/callback/community')
  })

  it('ignores the domain list for its synthetic address, but not closed registration', async ({
    forum,
    service,
    visitor,
  }) => {
    await changeSettings(service, 'authentication', { email_signup_domain_allowlist: ['corp.example'] })

    assert.equal(await signInVia(visitor, 'community'), '/')
    await changeSettings(service, 'authentication', { registration_enabled: false })
    tell(forum, { ...MEMBER, id: 43 })
    assert.equal(await signInVia(stranger(service), 'community'), '/sign-in?error=registration_disabled')
  })

  for (const [what, avatar_template, image] of [
    ['of another origin', 'https://cdn.example/a/{size}.png', null],
    ['of another scheme', 'javascript:alert({size})', null],
    ['absent', null, null],
  ] as const) {
    it(`an avatar template that is ${what}`, async ({ forum, visitor }) => {
      tell(forum, { ...MEMBER, avatar_template })

      await signInVia(visitor, 'community')

      assert.equal((await whoIs(visitor)).image, image)
    })
  }

  for (const [what, member] of [
    ['no id', { username: 'ann' }],
    ['an id that breaks out of the address', { ...MEMBER, id: '1@evil.example,x' }],
    ['an id of the wrong type', { ...MEMBER, id: { $ne: 1 } }],
    ['a text in place of the object', 'ann'],
  ] as const) {
    it(`a profile with ${what} signs nobody in`, async ({ forum, visitor }) => {
      tell(forum, member)

      assert.equal(await signInVia(visitor, 'community'), '/sign-in?error=provider_error')
      assert.equal(await whoIs(visitor), undefined)
    })
  }

  withService('is disabled if the deployment configures none', async ({ service }) => {
    await enableProvider(service, 'community')

    const answer = await stranger(service).post('/api/auth/sign-in/oauth2', { providerId: 'community' })

    assertRefused(answer, 'PROVIDER_DISABLED')
  })
})

describe('github', () => {
  it('is in the log and the audit log if it refuses the client secret', async ({ github, service, visitor }) => {
    github.broken.set(TOKENS, { status: 200, body: { error: 'incorrect_client_credentials' } })

    const landed = await signInVia(visitor, 'provider_b')

    assert.match(landed ?? '', /^\/sign-in\?error=provider_misconfigured/)
    const refused = { provider: 'provider_b', code: 'PROVIDER_MISCONFIGURED' }
    const line = service.log.lines.find(({ message }) => message === 'sign-in failed')
    const { provider, code, message } = line?.fields ?? {}
    assert.deepEqual({ provider, code }, refused)
    assert.equal(message, 'The provider refuses our client ID or client secret.')
    const { administrator } = await people(service)
    const filter = { action: 'user.sign_in_refused' }
    const { body } = await administrator.post('/api/admin/list_audit_entries', filter)
    assert.deepEqual(body.items[0].details, refused)
  })

  it('can be named by its preset everywhere, and returns to a trusted origin', async ({ visitor }) => {
    const named = { provider: 'github', callbackURL: 'https://app.example.com/'.padEnd(2_048, 'a') }

    const begun = await visitor.post('/api/auth/sign-in/social', named)
    const landed = await land(visitor, await consent(new URL(begun.body.url)))
    const last = await visitor.post('/api/auth/unlink-account', { providerId: 'github' })
    const failing = await visitor.post('/api/auth/link-social', named)
    const { searchParams } = new URL(failing.body.url)
    const refusal = `error=access_denied&state=${searchParams.get('state')}`
    const failed = await land(visitor, `/api/auth/callback/provider_b?${refusal}`)

    assert.equal(landed, named.callbackURL)
    assertRefused(last, 'FAILED_TO_UNLINK_LAST_ACCOUNT')
    assert.match(failed ?? '', /^https:\/\/app\.example\.com\/a+\?error=/)
  })

  it.for([
    'https://app.example.com.evil.example/',
    'https://app.example.com@evil.example/',
    'https://app.example.com//evil.example',
    'http://app.example.com/',
    '//app.example.com/',
    'https://app.example.com/'.padEnd(2_049, 'a'),
  ])('returns to no other origin: %s', async (callbackURL, { visitor }) => {
    const begun = await visitor.post('/api/auth/sign-in/social', { provider: 'github', callbackURL })

    assertRefused(begun, 'INVALID_REQUEST', 'callbackURL')
  })

  it('takes the primary address if it is verified', async ({ github, visitor }) => {
    github.redirect = { iss: `${github.url}/login/oauth` }

    await signInVia(visitor, 'provider_b')

    const { email, emailVerified, name, image } = await whoIs(visitor)
    assert.deepEqual([email, emailVerified], [FIRST.email, true])
    assert.deepEqual([name, image], ['ann', `${github.url}/avatars/7`])
  })

  it('does not use an unverified primary address, nor another in its place', async ({ github, visitor }) => {
    github.resources['/api/v3/user/emails'] = [SECOND, { ...FIRST, verified: false }]

    await signInVia(visitor, 'provider_b')

    assert.match((await whoIs(visitor)).email, /^provider_b-[0-9a-f]{40}@community\.local$/)
  })

  it('an error in a response with status 200 signs no one in', async ({ github, visitor }) => {
    const body = { error: 'bad_verification_code', error_description: 'The code passed is incorrect.' }
    github.broken.set(TOKENS, { status: 200, body })

    assert.equal(await signInVia(visitor, 'provider_b'), '/sign-in?error=provider_error')
  })
})

describe('a provider that is down or slow', () => {
  for (const [what, path, reaction] of [
    ['breaks the connection at the token endpoint', '/oauth2/token', 'drop'],
    ['breaks the connection at the user endpoint', '/api/user', 'drop'],
    ['answers 503', '/oauth2/token', { status: 503, body: {} }],
    ['does not answer for 5 s at the token endpoint', '/oauth2/token', 'hold'],
    ['does not answer for 5 s at the user endpoint', '/api/user', 'hold'],
  ] as const) {
    it(`${what}: lands with provider_unavailable`, async ({ forum, visitor, mock }) => {
      forum.broken.set(path, reaction)
      const timeout = mock.method(AbortSignal, 'timeout', () => {
        const aborter = new AbortController()
        forum.onHold = () => aborter.abort(new DOMException('5 s are over', 'TimeoutError'))
        return aborter.signal
      })

      const landed = await signInVia(visitor, 'community', { errorCallbackURL: '/sorry' })

      assert.equal(landed, '/sorry?error=provider_unavailable')
      assert.ok(timeout.mock.callCount() > 0)
      for (const { arguments: given } of timeout.mock.calls) assert.deepEqual(given, [5_000])
      assert.equal(await whoIs(visitor), undefined)
    })
  }
})

describe('preferred_username', () => {
  it('is the handle from the provider, also for a user without a real address', async ({
    service,
    administrator,
    github,
    forum,
  }) => {
    github.resources['/api/v3/user'] = { id: 7, login: 'octo-ann', name: 'Ann' }
    github.resources['/api/v3/user/emails'] = [{ ...FIRST, email: 'octo@example.com' }]
    const shop = await register(administrator)
    const seen = async (slot: 'provider_b' | 'community') => {
      const person = stranger(service)
      await signInVia(person, slot)
      const { access_token } = await tokensFor(person, shop)
      const { preferred_username, email } = (await person.get('/api/oauth/userinfo', bearer(access_token))).body
      return [preferred_username, email]
    }

    const atGithub = await seen('provider_b')
    const atForum = await seen('community')
    forum.resources['/api/user'] = { id: 43, username: ' \u202e ' }
    const nameless = await seen('community')

    assert.deepEqual(atGithub, ['octo-ann', 'octo@example.com'])
    assert.deepEqual(atForum, ['ann', undefined])
    assert.deepEqual(nameless, [undefined, undefined])
  })
})
