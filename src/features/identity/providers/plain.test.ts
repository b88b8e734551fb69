import assert from 'node:assert/strict'
import { begin, consent, enableProvider, land, signInVia, whoIs } from '../../../../test/providers/journey.ts'
import { type PlainProvider, startPlainProvider } from '../../../../test/providers/plain-provider.ts'
import { describe, it } from '../../../../test/running/node-test.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { people, stranger } from '../../../../test/service/people.ts'
import { startService } from '../../../../test/service/service.ts'

async function withProvider(provider: PlainProvider, slot: 'provider_b' | 'community') {
  const env = {
    PROVIDER_B: `github:${provider.url}`,
    COMMUNITY_AUTH_URL: provider.url,
    COMMUNITY_NAME: 'Forum',
    TRUSTED_ORIGINS: 'https://app.example.com',
  }
  const service = await startService({ env })
  await enableProvider(service, slot)
  return {
    provider,
    service,
    ann: stranger(service),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

const forumUser = {
  id: 42,
  username: 'ann',
  name: 'Ann',
  avatar_template: '/user_avatar/ann/{size}/7.png',
  email: 'ben@example.com',
}

async function withCommunity(user: unknown = forumUser) {
  return withProvider(await startPlainProvider('community', { '/api/user': user }), 'community')
}

const githubUser = { id: 7, login: 'ann', name: null, avatar_url: 'https://pictures.example/7' }

async function withGithub(emails: unknown) {
  const resources = { '/api/v3/user': githubUser, '/api/v3/user/emails': emails }
  return withProvider(await startPlainProvider('github', resources), 'provider_b')
}

describe('community', () => {
  it('speaks to its three endpoints, and makes the address and the picture', async () => {
    await using world = await withCommunity()
    const { ann, provider } = world

    const landed = await signInVia(ann, 'community', { callbackURL: '/home' })

    const user = await whoIs(ann)
    assert.equal(landed, '/home')
    assert.equal(user.email, 'community-42@community.local')
    assert.equal(user.emailVerified, false)
    assert.equal(user.name, 'Ann')
    assert.equal(user.image, `${provider.url}/user_avatar/ann/240/7.png`)
    assert.deepEqual(
      provider.asked.map((url) => url.pathname),
      ['/oauth2/authorize', '/oauth2/token', '/api/user'],
    )
  })

  it('checklist 101: its name for a user is cleaned to one line', async () => {
    await using world = await withCommunity({ ...forumUser, name: 'Ann\nCall\u202enow' })

    await signInVia(world.ann, 'community')

    assert.equal((await whoIs(world.ann)).name, 'Ann Call now')
  })

  for (const answer of [
    { status: 401, body: { error: 'invalid_client' } },
    { status: 400, body: { error: 'unauthorized_client' } },
  ]) {
    it(`that refuses the client with ${answer.status} ${answer.body.error} says so`, async () => {
      await using world = await withCommunity()
      world.provider.broken.set('/oauth2/token', answer)

      const landed = await signInVia(world.ann, 'community')

      assert.equal(landed, '/sign-in?error=provider_misconfigured')
    })
  }

  it('asks with PKCE and no nonce', async () => {
    await using world = await withCommunity()

    const { searchParams } = await begin(world.ann, 'community')

    assert.equal(searchParams.get('code_challenge_method'), 'S256')
    assert.equal(searchParams.has('nonce'), false)
    assert.equal(searchParams.get('redirect_uri'), 'http://localhost:5173/api/auth/oauth2/callback/community')
  })

  it('the domain list does not apply to the made-up address; registration does', async () => {
    await using world = await withCommunity()
    const { ann, provider, service } = world
    await changeSettings(service, 'authentication', { email_signup_domain_allowlist: ['corp.example'] })

    assert.equal(await signInVia(ann, 'community'), '/')
    await changeSettings(service, 'authentication', { registration_enabled: false })
    provider.resources = { '/api/user': { ...forumUser, id: 43 } }
    assert.equal(await signInVia(stranger(service), 'community'), '/sign-in?error=registration_disabled')
  })

  for (const [what, avatar, image] of [
    ['absolute', 'https://cdn.example/a/{size}.png', 'https://cdn.example/a/240.png'],
    ['of another scheme', 'javascript:alert({size})', null],
    ['absent', null, null],
  ] as const) {
    it(`an avatar template that is ${what}`, async () => {
      await using world = await withCommunity({ ...forumUser, avatar_template: avatar })

      await signInVia(world.ann, 'community')

      assert.equal((await whoIs(world.ann)).image, image)
    })
  }

  for (const [what, user] of [
    ['no id', { username: 'ann' }],
    ['an id that breaks out of the address', { ...forumUser, id: '1@evil.example,x' }],
    ['an id of the wrong type', { ...forumUser, id: { $ne: 1 } }],
    ['no object', 'ann'],
  ] as const) {
    it(`a profile with ${what} signs nobody in`, async () => {
      await using world = await withCommunity(user)

      assert.equal(await signInVia(world.ann, 'community'), '/sign-in?error=provider_error')
      assert.equal(await whoIs(world.ann), undefined)
    })
  }

  it('does not exist if the deployment names none', async () => {
    await using service = await startService()
    await enableProvider(service, 'community')

    const { status, body } = await stranger(service).post('/api/auth/sign-in/oauth2', {
      providerId: 'community',
    })

    assert.deepEqual([status, body.code], [404, 'PROVIDER_DISABLED'])
  })
})

describe('github', () => {
  it('that refuses the client secret says so to the user, the log and the audit log', async () => {
    await using world = await withGithub([])
    const { ann, provider, service } = world
    const error = 'incorrect_client_credentials'
    provider.broken.set('/login/oauth/access_token', { status: 200, body: { error } })

    const landed = await signInVia(ann, 'provider_b')

    assert.match(landed ?? '', /^\/sign-in\?error=provider_misconfigured/)
    const line = service.log.lines.find(({ message }) => message === 'sign-in failed')
    assert.deepEqual(
      [line?.fields.provider, line?.fields.code, line?.fields.message],
      ['provider_b', 'PROVIDER_MISCONFIGURED', 'The provider refuses our client ID or client secret.'],
    )
    const { administrator } = await people(service)
    const { body } = await administrator.post('/api/admin/list_audit_entries', {
      action: 'user.sign_in_refused',
    })
    assert.deepEqual(body.items[0].details, { provider: 'provider_b', code: 'PROVIDER_MISCONFIGURED' })
  })

  it('can be named by its preset, from sign-in to unlinking, and returns to a trusted origin', async () => {
    await using world = await withGithub([{ email: 'ann@example.com', primary: true, verified: true }])
    const { ann } = world
    const callbackURL = 'https://app.example.com/home'

    const begun = await ann.post('/api/auth/sign-in/social', { provider: 'github', callbackURL })
    const landed = await land(ann, await consent(new URL(begun.body.url)))
    const last = await ann.post('/api/auth/unlink-account', { providerId: 'github' })
    const failing = await ann.post('/api/auth/link-social', { provider: 'github', callbackURL })
    const { searchParams } = new URL(failing.body.url)
    const refusal = `error=access_denied&state=${searchParams.get('state')}`
    const failed = await land(ann, `/api/auth/callback/provider_b?${refusal}`)

    assert.equal(landed, callbackURL)
    assert.equal(last.body.code, 'FAILED_TO_UNLINK_LAST_ACCOUNT')
    assert.match(failed ?? '', /^https:\/\/app\.example\.com\/home\?error=/)
  })

  it('takes the primary address if it is verified', async () => {
    await using world = await withGithub([
      { email: 'other@example.com', primary: false, verified: true },
      { email: 'ann@example.com', primary: true, verified: true },
    ])
    world.provider.redirect = { iss: `${world.provider.url}/login/oauth` }

    await signInVia(world.ann, 'provider_b')

    const user = await whoIs(world.ann)
    assert.equal(user.email, 'ann@example.com')
    assert.equal(user.emailVerified, true)
    assert.equal(user.name, 'ann')
    assert.equal(user.image, 'https://pictures.example/7')
  })

  it('an unverified primary address is not taken, nor another in its place', async () => {
    await using world = await withGithub([
      { email: 'other@example.com', primary: false, verified: true },
      { email: 'ann@example.com', primary: true, verified: false },
    ])

    await signInVia(world.ann, 'provider_b')

    assert.match((await whoIs(world.ann)).email, /^provider_b-[0-9a-f]{40}@community\.local$/)
  })

  it('an error in a response with status 200 signs no one in', async () => {
    await using world = await withGithub([])
    const body = { error: 'bad_verification_code', error_description: 'The code passed is incorrect.' }
    world.provider.broken.set('/login/oauth/access_token', { status: 200, body })

    assert.equal(await signInVia(world.ann, 'provider_b'), '/sign-in?error=provider_error')
  })
})

describe('a provider that is down or slow', { concurrency: true }, () => {
  for (const [what, path, reaction] of [
    ['breaks the connection at the token endpoint', '/oauth2/token', 'drop'],
    ['breaks the connection at the user endpoint', '/api/user', 'drop'],
    ['answers 503', '/oauth2/token', { status: 503, body: {} }],
    ['does not answer for 5 s at the token endpoint', '/oauth2/token', 'hold'],
    ['does not answer for 5 s at the user endpoint', '/api/user', 'hold'],
  ] as const) {
    it(`${what}: lands with provider_unavailable`, async () => {
      await using world = await withCommunity()
      const { ann, provider } = world
      provider.broken.set(path, reaction)

      const landed = await signInVia(ann, 'community', { errorCallbackURL: '/sorry' })

      assert.equal(landed, '/sorry?error=provider_unavailable')
      assert.equal(await whoIs(ann), undefined)
    })
  }
})
