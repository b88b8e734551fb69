import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { oauthError } from '../../service/answers.ts'
import { basic, bearer, codeFor, register, tokenRequest, tokensFor } from '../../service/applications.ts'
import { decideDevice, grantFor, poll, postForm, startDevice } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import { type Person, stranger } from '../../service/people.ts'
import { introspect, redeemFor, refreshFor } from '../../service/shop.ts'

const SCOPE = 'product:reports:read'

const declare = (administrator: Person, description: string) =>
  administrator.post('/api/admin/declare_product_scope', { scope: SCOPE, description })

describe('a scope of a product', () => {
  it('that is withdrawn while a user decides is confirmed to no product, whichever way it asks', async ({
    service,
    administrator,
    ann,
  }) => {
    const product = stranger(service)
    await declare(administrator, 'Read your reports')
    const shop = await register(administrator, { scopes: ['openid', SCOPE] })
    const both = { scope: `openid ${SCOPE}` }
    const early = await tokensFor(ann, shop, both)
    const tool = await grantFor(ann, SCOPE, 'account:profile:read')
    const { body: signed } = await product.get('/api/auth/token', bearer(early.access_token))
    const given = await codeFor(ann, shop, both)

    await administrator.post('/api/admin/delete_product_scope', { scope: SCOPE })
    const { body: late } = await redeemFor(ann, shop, given)

    for (const token of [early.access_token, late.access_token, signed.token]) {
      assert.equal((await product.get('/api/verify', bearer(token))).status, 403)
      assert.equal((await product.get(`/api/verify?scope=${SCOPE}`, bearer(token))).status, 400)
    }
    const asked = await introspect(product, shop, early.access_token)
    assert.deepEqual([asked.body.active, asked.body.scope], [true, 'openid'])
    const ofTool = await product.get('/api/verify', bearer(tool.tokens.access_token))
    assert.equal(ofTool.headers.get('x-auth-scopes'), 'account:profile:read')
    assert.equal((await product.get('/api/auth/token', bearer(early.access_token))).status, 403)
  })

  it('that is withdrawn is named by no token that is given later, whichever way it is asked for', async ({
    administrator,
    ann,
  }) => {
    await declare(administrator, 'Read your reports')
    const scopes = ['openid', 'offline_access', SCOPE]
    const shop = await register(administrator, { scopes })
    const { refresh_token } = await tokensFor(ann, shop, { scope: scopes.join(' ') })
    const tool = await grantFor(ann, SCOPE, 'account:profile:read')
    const given = await codeFor(ann, shop, { scope: scopes.join(' ') })
    const device = (await startDevice(ann, SCOPE, 'account:profile:read')).body
    await decideDevice(ann, device.user_code, true)

    await administrator.post('/api/admin/delete_product_scope', { scope: SCOPE })
    const later = [
      (await refreshFor(ann, shop, refresh_token)).body,
      (await redeemFor(ann, shop, given)).body,
      (await poll(ann, device.device_code)).body,
      (await tool.refresh()).body,
    ]

    const ofShop = 'openid offline_access'
    const ofTool = 'account:profile:read api_access offline_access'
    assert.deepEqual(
      later.map(({ scope }) => scope),
      [ofShop, ofShop, ofTool, ofTool],
    )
    assert.equal((await tool.refresh(SCOPE)).body.error, 'invalid_scope')
  })

  it('that is declared again under its name is confirmed again for the tokens that have it', async ({
    service,
    administrator,
    ann,
  }) => {
    const product = stranger(service)
    await declare(administrator, 'Read your reports')
    const { tokens } = await grantFor(ann, SCOPE)
    const asked = async () => (await product.get(`/api/verify?scope=${SCOPE}`, bearer(tokens.access_token))).status

    const before = await asked()
    await administrator.post('/api/admin/delete_product_scope', { scope: SCOPE })
    const meanwhile = await asked()
    await declare(administrator, 'Read the reports of everyone')
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

    await allow(['openid'])
    const refused = await refreshFor(ann, shop, refresh_token)
    await allow(scopes)
    const again = await refreshFor(ann, shop, refresh_token)

    assert.deepEqual(oauthError(refused), [400, 'invalid_grant'])
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
    const given = await codeFor(ann, shop, { scope })
    const device = (await postForm(ann, '/api/oauth/device_authorization', { scope }, basic(shop))).body
    await decideDevice(ann, device.user_code, true)
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'

    await administrator.post('/api/admin/update_application', { id: shop.id, scopes: ['openid'] })

    for (const { body } of [
      await redeemFor(ann, shop, given),
      await tokenRequest(ann, shop, { grant_type, device_code: device.device_code }),
    ]) {
      const asked = await introspect(ann, shop, body.access_token)
      const info = await ann.get('/api/oauth/userinfo', bearer(body.access_token))
      assert.deepEqual([body.scope, body.refresh_token, asked.body.scope], ['openid', undefined, 'openid'])
      assert.deepEqual([info.status, 'email' in info.body], [200, false])
    }
  })

  it('ends the connection if it was the only one', async ({ administrator, ann }) => {
    const shop = await register(administrator, { scopes: ['openid', 'email'] })
    const given = await codeFor(ann, shop, { scope: 'email' })

    await administrator.post('/api/admin/update_application', { id: shop.id, scopes: ['openid'] })

    assert.deepEqual(oauthError(await redeemFor(ann, shop, given)), [400, 'invalid_grant'])
    assert.equal((await ann.post('/api/list_grants')).body.total, 0)
  })
})
