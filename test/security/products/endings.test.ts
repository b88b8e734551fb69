import assert from 'node:assert/strict'
import { describe, it } from '../../running/node-test.ts'
import {
  basic,
  bearer,
  CALLBACK,
  codeFor,
  register,
  tokenRequest,
  tokensFor,
} from '../../service/applications.ts'
import { postForm } from '../../service/grants.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

describe('a user who is suspended or deleted', () => {
  it('gets nothing for a code, a refresh token or an access token from before', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    const scopes = ['openid', 'offline_access']
    const shop = await register(administrator, { skip_consent: true, scopes })
    const of = async (person: Person) => ({
      tokens: await tokensFor(person, shop, { scope: scopes.join(' ') }),
      pending: await codeFor(person, shop, { scope: scopes.join(' ') }),
    })
    const [suspended, deleted] = [await of(ann), await of(ben)]

    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'a test' })
    await administrator.post('/api/admin/delete_user', { id: ben.id })

    for (const { tokens, pending } of [suspended, deleted]) {
      const form = {
        grant_type: 'authorization_code',
        redirect_uri: CALLBACK,
        code_verifier: pending.verifier,
      }
      const { refresh_token } = tokens
      const redeemed = await tokenRequest(administrator, shop, { ...form, code: pending.code })
      const renewed = await tokenRequest(administrator, shop, { grant_type: 'refresh_token', refresh_token })
      const info = await administrator.get('/api/oauth/userinfo', bearer(tokens.access_token))
      const about = { token: tokens.access_token }
      const asked = await postForm<{ active: boolean }>(
        administrator,
        '/api/oauth/introspect',
        about,
        basic(shop),
      )
      assert.deepEqual(
        [redeemed.body.error, renewed.body.error, info.status, asked.body.active],
        ['invalid_grant', 'invalid_grant', 401, false],
      )
    }
  })
})

describe('the end of a session', () => {
  it('leads only to a registered address, and ends no session at another party’s request', async () => {
    await using service = await startService()
    const { administrator, ann, ben } = await people(service)
    const home = 'https://shop.example/bye'
    const shop = await register(administrator, { skip_consent: true, post_logout_redirect_uris: [home] })
    const { id_token = '' } = await tokensFor(ben, shop)
    const end = (person: Person, query: Readonly<Record<string, string>>) =>
      person.get(`/oauth/end-session?${new URLSearchParams(query)}`)
    const elsewhere = [
      'https://evil.example/',
      `${home}/`,
      `${home}@evil.example`,
      '//evil.example',
      `${home}#a`,
    ]

    const led = await Promise.all(
      elsewhere.map((post_logout_redirect_uri) =>
        end(stranger(service), { client_id: shop.client_id, post_logout_redirect_uri }),
      ),
    )
    const byHint = await end(ann, { id_token_hint: id_token, post_logout_redirect_uri: home })
    const byName = await end(ann, { client_id: shop.client_id, post_logout_redirect_uri: home })
    const session = await ann.get('/api/auth/get-session')

    assert.ok(led.every(({ headers }) => headers.get('location') === null))
    assert.deepEqual(
      [byHint, byName].map(({ headers }) => headers.get('location')),
      [null, null],
    )
    assert.equal(session.body.user.id, ann.id)
  })
})
