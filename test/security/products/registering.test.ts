import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { bearer, CALLBACK, codeFor, register, tokenRequest, tokensFor } from '../../service/applications.ts'
import { grantFor } from '../../service/grants.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

describe('registering an application', () => {
  it('shows the secret once, keeps its hash alone, and gives none to those who cannot keep one', async () => {
    await using service = await startService()
    const { administrator } = await people(service)

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

  it('refuses addresses that lead elsewhere, and what its kind cannot have', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
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
    ]

    for (const input of unsound) {
      const { status, body } = await administrator.post('/api/admin/create_application', input)
      assert.deepEqual([status, body.code], [400, 'INVALID_REQUEST'], JSON.stringify(input))
    }
    const sound = [
      at('http://127.0.0.1/callback', 'native'),
      at('com.example.app:/callback', 'native'),
      at('http://localhost:3000/cb'),
    ]
    for (const input of sound) await register(administrator, input)
  })

  it('is for the administrator only, and a tool gives an application no more scopes than it has', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
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
    for (const { status, body } of beyond) assert.deepEqual([status, body.code], [403, 'INSUFFICIENT_SCOPE'])
  })

  it('is changed, gets a new secret, and ends with all its access when it is deleted', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { scopes: ['openid', 'email', 'offline_access'] })
    const tokens = await tokensFor(ann, shop, { scope: 'openid offline_access' })
    const { id } = shop

    const updated = await administrator.post('/api/admin/update_application', { id, name: 'Store' })
    const rotated = await administrator.post('/api/admin/rotate_application_secret', { id })
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const withOld = await tokenRequest(ann, shop, refresh)
    const renewed = { ...shop, ...rotated.body }
    const withNew = await tokenRequest(ann, renewed, refresh)
    const pending = await codeFor(ann, shop, { scope: 'openid' })
    const deleted = await administrator.post('/api/admin/delete_application', { id })
    const user = await ann.get('/api/oauth/userinfo', bearer(withNew.body.access_token))
    const later = await tokenRequest(ann, renewed, refresh)
    const { body: grants } = await ann.post('/api/list_grants')

    assert.equal(updated.body.name, 'Store')
    assert.deepEqual([withOld.status, withOld.body.error], [401, 'invalid_client'])
    assert.equal(withNew.status, 200)
    assert.ok(pending.code)
    assert.deepEqual([deleted.status, user.status, later.status], [200, 401, 401])
    assert.equal(grants.total, 0)
  })
})
