import assert from 'node:assert/strict'
import { describe, it } from '../../running/node-test.ts'
import {
  basic,
  CALLBACK,
  codeFor,
  queryFor,
  register,
  tokenRequest,
  tokensFor,
} from '../../service/applications.ts'
import { newVerifier, postForm } from '../../service/grants.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const authorize = (person: Person, query: Readonly<Record<string, string>>) =>
  person.get(`/oauth/authorize?${new URLSearchParams(query)}`)

describe('a redirect address', () => {
  it('that is nearly a registered one gets no redirect, by address or by form, with or without a session', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { skip_consent: true })
    const near = [
      'https://shop.example/callback/',
      'https://shop.example/callback?a=b',
      'https://shop.example/callback#a',
      'https://shop.example//callback',
      'https://shop.example/./callback',
      'https://shop.example/%63allback',
      'https://shop.example:443/callback',
      'https://SHOP.example/callback',
      'https://shop.example./callback',
      'https://shop.example@evil.example/callback',
      'https://evil.example/https://shop.example/callback',
      'https://xn--shp-6na.example/callback',
      'https:\\\\shop.example\\callback',
      'https://shop.example/\tcallback',
      ' https://shop.example/callback',
      '//shop.example/callback',
      'javascript:alert(1)',
      '',
    ]

    for (const redirect_uri of near)
      for (const person of [ann, stranger(service)]) {
        const { headers } = await authorize(person, queryFor(shop, newVerifier(), { redirect_uri }))
        assert.equal(headers.get('location'), null, redirect_uri)
      }
    const begun = await Promise.all(
      near.map((redirect_uri) =>
        ann.post('/api/oauth/begin_authorization', queryFor(shop, newVerifier(), { redirect_uri })),
      ),
    )

    assert.ok(begun.every(({ status, body }) => status === 400 && body.redirect_to === undefined))
  })

  it('sent twice, or as a list, is not an address', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { skip_consent: true })
    const query = new URLSearchParams(queryFor(shop, newVerifier()))
    query.append('redirect_uri', 'https://evil.example/')

    const { headers } = await ann.get(`/oauth/authorize?${query}`)

    assert.doesNotMatch(headers.get('location') ?? '', /^https:\/\/evil/)
  })
})

describe('a code', () => {
  it('that an attacker injects does not match the verifier of the victim’s request', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    const shop = await register(administrator, { skip_consent: true })
    const stolen = await codeFor(ben, shop)
    const victim = await codeFor(ann, shop)
    const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK }

    const injected = await tokenRequest(ann, shop, {
      ...form,
      code: stolen.code,
      code_verifier: victim.verifier,
    })
    const downgraded = await tokenRequest(ann, shop, { ...form, code: victim.code })
    const emptied = await tokenRequest(ann, shop, { ...form, code: victim.code, code_verifier: '' })
    const sound = await tokenRequest(ann, shop, {
      ...form,
      code: victim.code,
      code_verifier: victim.verifier,
    })

    assert.deepEqual(
      [injected, downgraded, emptied].map(({ body }) => body.error),
      ['invalid_grant', 'invalid_request', 'invalid_request'],
    )
    assert.equal(sound.status, 200)
  })

  it('is requested with S256 and nothing weaker, and comes with its issuer', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { skip_consent: true })
    const weaker = [
      { code_challenge_method: 'plain' },
      { code_challenge_method: '' },
      { code_challenge: '' },
      { code_challenge: 'short' },
    ]

    const answers = await Promise.all(
      weaker.map((change) => authorize(ann, queryFor(shop, newVerifier(), change))),
    )
    const redirects = answers.map(({ headers }) => new URL(headers.get('location') ?? ''))
    const { redirect } = await codeFor(ann, shop)

    for (const { searchParams } of redirects)
      assert.deepEqual([searchParams.get('error'), searchParams.get('code')], ['invalid_request', null])
    for (const { searchParams } of [...redirects, redirect])
      assert.equal(searchParams.get('iss'), service.config.baseUrl)
  })

  it('is given for a request once, and to the user who began it', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    const shop = await register(administrator)
    const begun = await ann.post('/api/oauth/begin_authorization', queryFor(shop, newVerifier()))
    const decision = { request_id: begun.body.request_id, approve: true }

    const foreign = await ben.post('/api/oauth/decide_authorization', decision)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => ann.post('/api/oauth/decide_authorization', decision)),
    )
    const replayed = await ann.post('/api/oauth/decide_authorization', decision)

    assert.notEqual(foreign.status, 200)
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.notEqual(replayed.status, 200)
  })
})

describe('prompt=none', () => {
  it('tells a page without a session only that: not whether the user is known or has agreed', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator)
    await tokensFor(ann, shop)
    const query = queryFor(shop, newVerifier(), { prompt: 'none' })

    const without = await authorize(stranger(service), query)
    await ann.post('/api/auth/sign-out')
    const signedOut = await authorize(ann, query)

    const said = [without, signedOut].map(({ headers }) => headers.get('location'))
    assert.equal(said[0], said[1])
    assert.match(said[0] ?? '', /error=login_required/)
  })
})

describe('what an application may ask for', () => {
  it('is what is registered: more is refused in the redirect, at the device, at a refresh and to a service', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const scopes = ['openid', 'offline_access']
    const shop = await register(administrator, { skip_consent: true, scopes })
    const worker = await register(administrator, { kind: 'service', scopes: ['admin:users:read'] })
    const { refresh_token } = await tokensFor(ann, shop, { scope: scopes.join(' ') })
    const wider = 'openid email'

    const asked = await authorize(ann, queryFor(shop, newVerifier(), { scope: wider }))
    const device = await postForm(ann, '/api/oauth/device_authorization', { scope: wider }, basic(shop))
    const form = { grant_type: 'refresh_token', refresh_token, scope: 'openid offline_access email' }
    const refreshed = await tokenRequest(ann, shop, form)
    const served = await tokenRequest(ann, worker, {
      grant_type: 'client_credentials',
      scope: 'admin:users:write',
    })

    assert.match(asked.headers.get('location') ?? '', /error=invalid_scope/)
    assert.deepEqual(
      [device, refreshed, served].map(({ body }) => body.error),
      ['invalid_scope', 'invalid_scope', 'invalid_scope'],
    )
  })

  it('is remembered as what was allowed, and no more: not what the user has taken back', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator)
    await tokensFor(ann, shop, { scope: 'openid email' })
    const later = await ann.post(
      '/api/oauth/begin_authorization',
      queryFor(shop, newVerifier(), { scope: 'openid profile', prompt: 'consent' }),
    )
    const { body: grants } = await ann.post('/api/list_grants')
    await ann.post('/api/revoke_grant', { id: grants.items[0].id })
    await ann.post('/api/oauth/decide_authorization', { request_id: later.body.request_id, approve: true })

    const allowed = await codeFor(ann, shop, { scope: 'openid profile' })
    const takenBack = await codeFor(ann, shop, { scope: 'openid email' })

    assert.deepEqual([allowed.wasAsked, takenBack.wasAsked], [false, true])
  })
})

describe('two saves of one application at once', () => {
  it('both stay, if they are of different fields', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    const { id } = await register(administrator)
    const changes = [
      { name: 'Another name' },
      { home_url: 'https://shop.example/' },
      { skip_consent: true },
      { scopes: ['openid'] },
      { id_token_algorithm: 'RS256' },
      { post_logout_redirect_uris: ['https://shop.example/bye'] },
    ]

    await Promise.all(
      changes.map((one) => administrator.post('/api/admin/update_application', { id, ...one })),
    )
    const { body } = await administrator.post('/api/admin/list_applications')

    const [{ created_at: _, updated_at: __, ...saved }] = body.items
    assert.deepEqual(saved, {
      ...{ id, client_id: id, kind: 'web', logo_url: null, redirect_uris: [CALLBACK] },
      ...Object.assign({}, ...changes),
    })
  })

  it('of its secret leave one new secret that works, and the old one does not', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const worker = await register(administrator, { kind: 'service', scopes: ['admin:users:read'] })
    const rotate = () => administrator.post('/api/admin/rotate_application_secret', { id: worker.id })

    const rotated = await Promise.all([rotate(), rotate(), rotate()])
    const secrets = [worker.client_secret, ...rotated.map(({ body }) => body.client_secret)]
    const answers = await Promise.all(
      secrets.map((client_secret) =>
        tokenRequest(ann, { ...worker, client_secret }, { grant_type: 'client_credentials' }),
      ),
    )

    assert.equal(answers[0]?.body.error, 'invalid_client')
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })
})
