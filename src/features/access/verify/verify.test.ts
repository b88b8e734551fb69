import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../../../test/service/answers.ts'
import { bearer } from '../../../../test/service/applications.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { stranger } from '../../../../test/service/people.ts'

/** The headers that a proxy passes on. */
const shown = ({ headers }: { readonly headers: Headers }, ...names: readonly string[]) =>
  names.map((name) => headers.get(`x-${name}`))

describe('verify', () => {
  it('says in headers who the caller is', async ({ ann }) => {
    const answer = await ann.get('/api/verify?scope=account:profile:read')

    assert.equal(answer.status, 200)
    const headers = shown(answer, 'user-id', 'user-email', 'user-role', 'user-shard')
    assert.deepEqual(headers, [ann.id, 'ann@example.com', 'user', 'apac-1'])
  })

  it('checklist 76: says administrator only for a credential that can act as one', async ({
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
      const answer = await stranger(service).get('/api/verify', bearer(token))
      told.push(shown(answer, 'user-role', 'auth-kind', 'auth-scopes'))
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
    const byGrant = await stranger(service).get('/api/verify', bearer(tokens.access_token))

    assert.deepEqual(shown(bySession, 'auth-id', 'auth-expires', 'auth-ends'), [
      session.id,
      ...[`${now + 30 * 24 * 3_600}`, `${now + 30 * 24 * 3_600}`],
    ])
    assert.deepEqual(shown(byGrant, 'auth-id', 'auth-expires', 'auth-ends'), [
      grant.id,
      ...[`${now + 15 * 60}`, `${now + 365 * 24 * 3_600}`],
    ])
  })

  it('says whether the address is verified, and the name percent-encoded', async ({ ann }) => {
    await ann.post('/api/auth/update-user', { name: 'Ann Müller 安' })

    const headers = shown(await ann.get('/api/verify'), 'user-email-verified', 'user-name')
    assert.deepEqual(headers, ['false', encodeURIComponent('Ann Müller 安')])
  })

  it('lets a grant pass only with its scopes, or if no scope is required', async ({ service, ann }) => {
    const client = await grantFor(ann, 'operations:feedback:write')
    const held = bearer(client.tokens.access_token)
    const verify = (query: string) => stranger(service).get(`/api/verify${query}`, held)

    const passing = [await verify('?scope=operations:feedback:write'), await verify('')]
    const other = await verify('?scope=account:profile:read')

    assert.deepEqual(statuses(passing), [200, 200])
    assertRefused(other, 'INSUFFICIENT_SCOPE')
    assert.equal(other.headers.get('x-user-id'), null)
  })

  it('is 401 or 403 as every protected route is', async ({ service, administrator, ann }) => {
    const nobody = await stranger(service).get('/api/verify')
    const notAdministrator = await ann.get('/api/verify?scope=admin:users:read')
    const allowed = await administrator.get('/api/verify?scope=admin:users:read')
    await administrator.saveSettings('authentication', { beta_gate_enabled: true })
    const gated = await ann.get('/api/verify')
    const unknown = await administrator.get('/api/verify?scope=no:such:scope')

    assertRefused(nobody, 'UNAUTHORIZED')
    assertRefused(notAdministrator, 'FORBIDDEN')
    assert.equal(allowed.status, 200)
    assertRefused(gated, 'BETA_CODE_REQUIRED')
    assertRefused(unknown, 'INVALID_REQUEST')
  })
})

describe('verify for a proxy that passes the response on', () => {
  it.override('options', { env: { TRUSTED_ORIGINS: 'https://trusted.example.com' } })

  it('sends a browser to sign in and back; a program gets 401', async ({ service, administrator }) => {
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
    const back = (origin: string) => `${base}/sign-in?${new URLSearchParams({ return_to: `${origin}/orders?a=b&c=d` })}`

    const told = [
      await ask('app.example.com'),
      await ask('trusted.example.com'),
      await ask('evil.example'),
      await ask('app.example.com@evil.example'),
      await ask('app.example.com', { accept: 'application/json' }),
      await ask('app.example.com', { 'x-forwarded-method': 'POST' }),
      await ask('app.example.com', bearer(administrator.token)),
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
