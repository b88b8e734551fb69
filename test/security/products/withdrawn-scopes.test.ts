import assert from 'node:assert/strict'
import { describe } from 'vitest'
import {
  basic,
  bearer,
  CALLBACK,
  codeFor,
  register,
  tokenRequest,
  tokensFor,
} from '../../service/applications.ts'
import { decideDevice, grantFor, postForm } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'

const SCOPE = 'product:reports:read'

describe('a scope of a product', () => {
  it('that is withdrawn while a user decides is confirmed to no product, whichever way it asks', async ({
    service,
    administrator,
    ann,
  }) => {
    const product = stranger(service)
    await administrator.post('/api/admin/declare_product_scope', {
      scope: SCOPE,
      description: 'Read your reports',
    })
    const shop = await register(administrator, { scopes: ['openid', SCOPE] })
    const both = { scope: `openid ${SCOPE}` }
    const early = await tokensFor(ann, shop, both)
    const tool = await grantFor(ann, SCOPE, 'account:profile:read')
    const { body: signed } = await product.get('/api/auth/token', bearer(early.access_token))
    const { code, verifier } = await codeFor(ann, shop, both)

    await administrator.post('/api/admin/delete_product_scope', { scope: SCOPE })
    const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code, code_verifier: verifier }
    const { body: late } = await tokenRequest(ann, shop, form)

    for (const token of [early.access_token, late.access_token, signed.token]) {
      assert.equal((await product.get('/api/verify', bearer(token))).status, 403)
      assert.equal((await product.get(`/api/verify?scope=${SCOPE}`, bearer(token))).status, 400)
    }
    const asked = await postForm(product, '/api/oauth/introspect', { token: early.access_token }, basic(shop))
    assert.deepEqual([asked.body.active, asked.body.scope], [true, 'openid'])
    const ofTool = await product.get('/api/verify', bearer(tool.tokens.access_token))
    assert.equal(ofTool.headers.get('x-auth-scopes'), 'account:profile:read')
    assert.equal((await product.get('/api/auth/token', bearer(early.access_token))).status, 403)
  })

  it('that is declared again under its name is confirmed again for the tokens that have it', async ({
    service,
    administrator,
    ann,
  }) => {
    const product = stranger(service)
    const declare = (description: string) =>
      administrator.post('/api/admin/declare_product_scope', { scope: SCOPE, description })
    await declare('Read your reports')
    const { tokens } = await grantFor(ann, SCOPE)
    const asked = async () =>
      (await product.get(`/api/verify?scope=${SCOPE}`, bearer(tokens.access_token))).status

    const before = await asked()
    await administrator.post('/api/admin/delete_product_scope', { scope: SCOPE })
    const meanwhile = await asked()
    await declare('Read the reports of everyone')
    const again = await asked()

    assert.deepEqual([before, meanwhile, again], [200, 400, 200])
  })
})

describe('offline access', () => {
  it('that the administrator takes from an application ends what it refreshes, until it is given again', async ({
    administrator,
    ann,
  }) => {
    const scopes = ['openid', 'offline_access']
    const shop = await register(administrator, { scopes })
    const { refresh_token } = await tokensFor(ann, shop, { scope: scopes.join(' ') })
    const allow = (allowed: readonly string[]) =>
      administrator.post('/api/admin/update_application', { id: shop.id, scopes: allowed })
    const refresh = () => tokenRequest(ann, shop, { grant_type: 'refresh_token', refresh_token })

    await allow(['openid'])
    const refused = await refresh()
    await allow(scopes)
    const again = await refresh()

    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'])
    assert.equal(again.status, 200)
  })
})

describe('a scope that the administrator takes from an application', () => {
  it('after the user has approved is missing from the first tokens, of a code and of a device', async ({
    administrator,
    ann,
  }) => {
    const scope = 'openid email offline_access'
    const shop = await register(administrator, { scopes: scope.split(' ') })
    const { code, verifier } = await codeFor(ann, shop, { scope })
    const device = (await postForm(ann, '/api/oauth/device_authorization', { scope }, basic(shop))).body
    await decideDevice(ann, device.user_code, true)
    const ofCode = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code, code_verifier: verifier }
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'

    await administrator.post('/api/admin/update_application', { id: shop.id, scopes: ['openid'] })

    for (const form of [ofCode, { grant_type, device_code: device.device_code }]) {
      const { body } = await tokenRequest(ann, shop, form)
      const asked = await postForm(ann, '/api/oauth/introspect', { token: body.access_token }, basic(shop))
      const info = await ann.get('/api/oauth/userinfo', bearer(body.access_token))
      assert.deepEqual([body.scope, body.refresh_token, asked.body.scope], ['openid', undefined, 'openid'])
      assert.deepEqual([info.status, 'email' in info.body], [200, false])
    }
  })

  it('ends the connection if it was the only one', async ({ administrator, ann }) => {
    const shop = await register(administrator, { scopes: ['openid', 'email'] })
    const { code, verifier } = await codeFor(ann, shop, { scope: 'email' })

    await administrator.post('/api/admin/update_application', { id: shop.id, scopes: ['openid'] })
    const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code, code_verifier: verifier }
    const { status, body } = await tokenRequest(ann, shop, form)

    assert.deepEqual([status, body.error], [400, 'invalid_grant'])
    assert.equal((await ann.post('/api/list_grants')).body.total, 0)
  })
})
