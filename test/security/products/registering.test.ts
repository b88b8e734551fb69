import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { oauthError, refusal, statuses } from '../../service/answers.ts'
import { bearer, CALLBACK, codeFor, register, tokensFor } from '../../service/applications.ts'
import { grantFor } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import { redeemFor, refreshFor } from '../../service/shop.ts'

const OPENID = { scope: 'openid' }

describe('registering an application', () => {
  it('shows the secret once, keeps its hash alone, and gives none to those who cannot keep one', async ({
    service,
    administrator,
  }) => {
    const web = await register(administrator)
    const browser = await register(administrator, { kind: 'browser' })
    const { body } = await administrator.post('/api/admin/list_applications')
    const rows = await service.platform.meta.selectFrom('application').selectAll().execute()

    assert.match(web.client_secret ?? '', /^gas_[\w-]{43}$/)
    assert.equal(browser.client_secret, undefined)
    assert.equal(body.total, 2)
    assert.doesNotMatch(JSON.stringify(body), /secret|gas_/)
    assert.ok(!JSON.stringify(rows).includes(web.client_secret ?? '?'))
  })

  it('refuses addresses that lead elsewhere, and what its kind cannot have', async ({ administrator }) => {
    const at = (redirect: string, kind = 'web') => ({ name: 'Shop', kind, redirect_uris: [redirect] })
    const unsound = [
      at('http://shop.example/callback'),
      at('https://shop.example/callback#fragment'),
      at('https://*.shop.example/callback'),
      at('https://user@shop.example/callback'),
      at('javascript:alert(1)'),
      at('data:text/html,hello', 'native'),
      at('javascript:alert(1)', 'native'),
      at('com.example.app:/callback', 'web'),
      at('/callback'),
      at('https://shop.example\\@evil.example/'),
      { name: 'Shop', kind: 'web' },
      { name: 'Shop', kind: 'native', redirect_uris: [CALLBACK], skip_consent: true },
      { name: 'Robot', kind: 'service', redirect_uris: [CALLBACK] },
      { name: 'Robot', kind: 'service', scopes: ['account:profile:read'] },
      { ...at(CALLBACK), scopes: ['product:reports:read'] },
      { ...at(CALLBACK), scopes: ['nothing:known:read'] },
      { ...at(CALLBACK), logo_url: 'javascript:alert(1)' },
      { ...at(CALLBACK), logo_url: 'https://10.0.0.7/logo.png' },
      { ...at(CALLBACK), logo_url: 'https://localhost/logo.png' },
    ]

    for (const input of unsound) {
      const answer = await administrator.post('/api/admin/create_application', input)
      assert.deepEqual(refusal(answer), [400, 'INVALID_REQUEST'], JSON.stringify(input))
    }
    const sound = [
      at('http://127.0.0.1/callback', 'native'),
      at('com.example.app:/callback', 'native'),
      at('http://localhost:3000/cb'),
    ]
    for (const input of sound) await register(administrator, input)
  })

  it('is for the administrator only, and a tool gives an application no more scopes than it has', async ({
    administrator,
    ann,
  }) => {
    const tool = await grantFor(administrator, 'admin:applications:write', 'admin:beta:read')
    const strong = await register(administrator, { kind: 'service', scopes: ['admin:users:write'] })

    const byAnn = await ann.post('/api/admin/create_application', { name: 'Mine', kind: 'service' })
    const held = { name: 'Robot', kind: 'service', scopes: ['admin:beta:read'] }
    const allowed = await tool.post('/api/admin/create_application', held)
    const beyond = [
      await tool.post('/api/admin/create_application', { ...held, scopes: ['admin:users:write'] }),
      await tool.post('/api/admin/rotate_application_secret', { id: strong.id }),
      await tool.post('/api/admin/update_application', { id: strong.id, name: 'Mine' }),
      await tool.post('/api/admin/update_application', {
        id: allowed.body.id,
        scopes: ['config:email:write'],
      }),
    ]

    assert.equal(byAnn.status, 403)
    assert.equal(allowed.status, 200)
    for (const answer of beyond) assert.deepEqual(refusal(answer), [403, 'INSUFFICIENT_SCOPE'])
  })

  it('is changed, gets a new secret, and ends with all its access when it is deleted', async ({
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { scopes: ['openid', 'email', 'offline_access'] })
    const tokens = await tokensFor(ann, shop, { scope: 'openid offline_access' })
    const { id } = shop
    const [given, late] = [await codeFor(ann, shop, OPENID), await codeFor(ann, shop, OPENID)]

    const updated = await administrator.post('/api/admin/update_application', { id, name: 'Store' })
    const rotated = await administrator.post('/api/admin/rotate_application_secret', { id })
    const renewed = { ...shop, ...rotated.body }
    const withOld = [await refreshFor(ann, shop, tokens.refresh_token), await redeemFor(ann, shop, given)]
    const withNew = [await refreshFor(ann, renewed, tokens.refresh_token), await redeemFor(ann, renewed, given)]
    const deleted = await administrator.post('/api/admin/delete_application', { id })
    const later = [await refreshFor(ann, renewed, tokens.refresh_token), await redeemFor(ann, renewed, late)]

    assert.equal(updated.body.name, 'Store')
    assert.deepEqual([...withOld, ...later].map(oauthError), Array(4).fill([401, 'invalid_client']))
    assert.deepEqual(statuses([...withNew, deleted]), [200, 200, 200])
    for (const { body } of withNew)
      assert.equal((await ann.get('/api/oauth/userinfo', bearer(body.access_token))).status, 401)
    assert.equal((await ann.post('/api/list_grants')).body.total, 0)
  })
})
