import assert from 'node:assert/strict'
import { describe, it } from '../../running/node-test.ts'
import { CALLBACK, codeFor, queryFor, register, tokenRequest } from '../../service/applications.ts'
import { newVerifier } from '../../service/grants.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const OPTIONAL = ['state', 'nonce', 'prompt', 'max_age', 'id_token_hint', 'response_mode', 'request'] as const
const EMPTY = Object.fromEntries([...OPTIONAL, 'request_uri', 'user_code'].map((name) => [name, '']))

describe('a parameter without a value', () => {
  it('counts as omitted at the authorization endpoint and on its page', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { skip_consent: true })

    const query = new URLSearchParams(queryFor(shop, newVerifier(), EMPTY))
    const visited = await ann.get(`/oauth/authorize?${query}`)
    const { code, verifier, redirect } = await codeFor(ann, shop, EMPTY)
    const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code, code_verifier: verifier }
    const { body } = await tokenRequest(ann, shop, form)

    const there = new URL(visited.headers.get('location') ?? '', service.config.baseUrl)
    for (const { searchParams } of [there, redirect])
      assert.deepEqual([...searchParams.keys()], ['code', 'iss'])
    const claims = JSON.parse(Buffer.from((body.id_token ?? '').split('.')[1] ?? '', 'base64url').toString())
    assert.equal('nonce' in claims, false)
  })

  it('counts as omitted at the end of a session', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const address = 'https://shop.example/bye'
    const shop = await register(administrator, { post_logout_redirect_uris: [address] })
    await ann.post('/api/auth/sign-out')

    const asked = {
      client_id: shop.client_id,
      post_logout_redirect_uri: address,
      id_token_hint: '',
      state: '',
    }
    const { headers } = await ann.get(`/oauth/end-session?${new URLSearchParams(asked)}`)

    assert.equal(headers.get('location'), address)
  })
})
