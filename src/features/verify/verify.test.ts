import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { grantFor } from '../../../test/service/grants.ts'
import { it } from '../../../test/service/it.ts'
import { people, stranger } from '../../../test/service/people.ts'
import { startService } from '../../../test/service/service.ts'

describe('verify', () => {
  it('says in headers who the caller is', async ({ ann }) => {
    const { status, headers } = await ann.get('/api/verify?scope=account:profile:read')

    assert.equal(status, 200)
    assert.deepEqual(
      ['x-user-id', 'x-user-email', 'x-user-role', 'x-user-shard'].map((name) => headers.get(name)),
      [ann.id, 'ann@example.com', 'user', 'apac-1'],
    )
  })

  it('checklist 76: says administrator for a session, or for a grant with an administrator’s scope', async ({
    service,
    administrator,
    ann,
  }) => {
    const credentials = [
      administrator.token,
      (await grantFor(administrator, 'account:profile:read')).tokens.access_token,
      (await grantFor(administrator, 'account:profile:read', 'admin:users:read')).tokens.access_token,
      (await grantFor(administrator, 'config:email:read')).tokens.access_token,
      ann.token,
    ]

    const told: (readonly (string | null)[])[] = []
    for (const token of credentials) {
      const { headers } = await stranger(service).get('/api/verify', { authorization: `Bearer ${token}` })
      told.push(['x-user-role', 'x-auth-kind', 'x-auth-scopes'].map((name) => headers.get(name)))
    }

    assert.deepEqual(told, [
      ['administrator', 'session', ''],
      ['user', 'grant', 'account:profile:read'],
      ['administrator', 'grant', 'account:profile:read admin:users:read'],
      ['administrator', 'grant', 'config:email:read'],
      ['user', 'session', ''],
    ])
  })

  it('names the session or grant, and when the credential ends', async ({ service, ann }) => {
    const { tokens } = await grantFor(ann, 'account:profile:read')
    const now = Math.floor(service.clock.now() / 1_000)
    const [grant] = (await ann.post('/api/list_grants')).body.items
    const { session } = (await ann.get('/api/auth/get-session')).body

    const bySession = await ann.get('/api/verify')
    const byGrant = await stranger(service).get('/api/verify', {
      authorization: `Bearer ${tokens.access_token}`,
    })

    const told = [bySession, byGrant].map(({ headers }) => [
      headers.get('x-auth-id'),
      Number(headers.get('x-auth-expires')) - now,
    ])
    assert.deepEqual(told, [
      [session.id, 30 * 24 * 3_600],
      [grant.id, 15 * 60],
    ])
  })

  it('says whether the address is verified, and the name percent-encoded', async ({ ann }) => {
    await ann.post('/api/auth/update-user', { name: 'Ann Müller 安\ud800' })

    const { headers } = await ann.get('/api/verify')

    assert.equal(headers.get('x-user-email-verified'), 'false')
    assert.equal(headers.get('x-user-name'), encodeURIComponent('Ann Müller 安'))
  })

  it('a grant passes with its scopes only, or if no scope is required', async ({ service, ann }) => {
    const client = await grantFor(ann, 'operations:feedback:write')
    const authorization = `Bearer ${client.tokens.access_token}`
    const verify = (query: string) => stranger(service).get(`/api/verify${query}`, { authorization })

    const held = await verify('?scope=operations:feedback:write')
    const any = await verify('')
    const other = await verify('?scope=account:profile:read')

    assert.deepEqual([held.status, any.status], [200, 200])
    assert.deepEqual([other.status, other.body.code], [403, 'INSUFFICIENT_SCOPE'])
    assert.equal(other.headers.get('x-user-id'), null)
  })

  it('is 401 without a credential, and 403 behind the gate and for anyone but the administrator', async ({
    service,
    administrator,
    ann,
  }) => {
    const nobody = await stranger(service).get('/api/verify')
    const notAdministrator = await ann.get('/api/verify?scope=admin:users:read')
    const allowed = await administrator.get('/api/verify?scope=admin:users:read')
    await administrator.saveSettings('authentication', { beta_gate_enabled: true })
    const gated = await ann.get('/api/verify')
    const unknown = await administrator.get('/api/verify?scope=no:such:scope')

    assert.deepEqual([nobody.status, nobody.body.code], [401, 'UNAUTHORIZED'])
    assert.deepEqual([notAdministrator.status, notAdministrator.body.code], [403, 'FORBIDDEN'])
    assert.equal(allowed.status, 200)
    assert.deepEqual([gated.status, gated.body.code], [403, 'BETA_CODE_REQUIRED'])
    assert.deepEqual([unknown.status, unknown.body.code], [400, 'INVALID_REQUEST'])
  })
})

describe('verify for a proxy that passes the response on', () => {
  it('sends a signed-out browser to sign in and back to an allowed page; a program gets 401', async () => {
    await using service = await startService({ env: { TRUSTED_ORIGINS: 'https://trusted.example.com' } })
    const { administrator } = await people(service)
    await administrator.saveSettings('brand', { return_origins: ['https://app.example.com'] })
    const base = service.config.baseUrl
    const ask = async (host: string, headers: Readonly<Record<string, string>> = {}) => {
      const { status, headers: answered } = await stranger(service).get('/api/verify?redirect=sign-in', {
        accept: 'text/html,*/*',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': host,
        'x-forwarded-uri': '/orders?a=b&c=d',
        ...headers,
      })
      return [status, answered.get('location')]
    }
    const back = (origin: string) =>
      `${base}/sign-in?${new URLSearchParams({ return_to: `${origin}/orders?a=b&c=d` })}`

    const told = [
      await ask('app.example.com'),
      await ask('trusted.example.com'),
      await ask('evil.example'),
      await ask('app.example.com@evil.example'),
      await ask('app.example.com', { accept: 'application/json' }),
      await ask('app.example.com', { 'x-forwarded-method': 'POST' }),
      await ask('app.example.com', { authorization: `Bearer ${administrator.token}` }),
    ]

    assert.deepEqual(told, [
      [302, back('https://app.example.com')],
      [302, back('https://trusted.example.com')],
      [302, `${base}/sign-in`],
      [302, `${base}/sign-in`],
      [401, null],
      [401, null],
      [200, null],
    ])
  })
})
