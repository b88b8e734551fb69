import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { CALLBACK, codeFor, register, tokenRequest, tokensFor } from '../../service/applications.ts'
import { stranger } from '../../service/people.ts'
import { begin, decide, it, visit } from '../../service/shop.ts'

describe('a code', () => {
  it('is given for a request once, and to the user who began it, however many decisions come at once', async ({
    ann,
    ben,
    shop,
  }) => {
    const { request_id } = (await begin(ann, shop)).body

    const foreign = await decide(ben, request_id)
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => decide(ann, request_id, i % 2 === 0)))
    const replayed = await decide(ann, request_id)

    const decided = answers.map(({ status }) => status).toSorted()
    assert.deepEqual(decided, [200, ...Array(9).fill(404)])
    assert.deepEqual([foreign.status, replayed.status], [404, 404])
  })
})

describe('prompt=none', () => {
  it('tells a page without a session only that: not whether the user is known or has agreed', async ({
    service,
    ann,
    shop,
  }) => {
    await tokensFor(ann, shop)

    const without = await visit(stranger(service), shop, { prompt: 'none' })
    await ann.post('/api/auth/sign-out')
    const signedOut = await visit(ann, shop, { prompt: 'none' })

    const said = [without, signedOut].map(({ headers }) => headers.get('location'))
    assert.equal(said[0], said[1])
    assert.match(said[0] ?? '', /error=login_required/)
  })
})

describe('a consent', () => {
  it('is remembered as what was allowed, and no more: not what the user has taken back', async ({ ann, shop }) => {
    await tokensFor(ann, shop, { scope: 'openid email' })
    const later = await begin(ann, shop, { scope: 'openid profile', prompt: 'consent' })
    const { body: grants } = await ann.post('/api/list_grants')
    await ann.post('/api/revoke_grant', { id: grants.items[0].id })
    await decide(ann, later.body.request_id)

    const allowed = await codeFor(ann, shop, { scope: 'openid profile' })
    const takenBack = await codeFor(ann, shop, { scope: 'openid email' })

    assert.deepEqual([allowed.wasAsked, takenBack.wasAsked], [false, true])
  })
})

describe('two saves of one application at once', () => {
  it('both stay, if they are of different fields', async ({ administrator, shop: { id } }) => {
    const changes = [
      { name: 'Another name' },
      { home_url: 'https://shop.example/' },
      { skip_consent: true },
      { scopes: ['openid'] },
      { id_token_algorithm: 'EdDSA' },
      { require_pkce: false },
      { post_logout_redirect_uris: ['https://shop.example/bye'] },
    ]

    await Promise.all(changes.map((one) => administrator.post('/api/admin/update_application', { id, ...one })))
    const { body } = await administrator.post('/api/admin/list_applications')

    const [{ created_at: _, updated_at: __, ...saved }] = body.items
    assert.deepEqual(saved, {
      brand: {},
      key: null,
      origin: 'administrator',
      resource: null,
      ...{ id, client_id: id, kind: 'web', logo_url: null, redirect_uris: [CALLBACK] },
      backchannel_logout_uri: null,
      ...Object.assign({}, ...changes),
    })
  })

  it('of its secret leave one new secret that works, and the old one does not', async ({ administrator, ann }) => {
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
