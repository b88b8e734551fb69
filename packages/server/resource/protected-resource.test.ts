import assert from 'node:assert/strict'
import { describe } from 'vitest'
import {
  bearer,
  exchangedBy,
  type Registered,
  register,
  tokenRequest,
  tokensFor,
} from '../../../test/service/applications.ts'
import { fetchFrom } from '../../../test/service/assistant.ts'
import { it as withService } from '../../../test/service/it.ts'
import { type ProtectedResource, protectedResourceAt } from './protected-resource.ts'

const RESOURCE = 'https://mcp.shop.example/mcp'
const OTHER = 'https://stock.example/'
const READ = 'operations:notifications:read'
const WRITE = 'operations:feedback:write'
const SCOPES = ['openid', 'offline_access', READ, WRITE]
const METADATA = 'https://mcp.shop.example/.well-known/oauth-protected-resource/mcp'

interface Fixtures {
  readonly shop: Registered
  readonly server: Registered
  readonly fetched: string[]
  /** The product's resource, once it follows revocations. */
  readonly resource: ProtectedResource
  readonly make: (changes?: Partial<Parameters<typeof protectedResourceAt>[0]>) => Promise<ProtectedResource>
}

const it = withService.extend<Fixtures>({
  shop: async ({ administrator }, use) => use(await register(administrator, { scopes: SCOPES })),
  server: async ({ administrator }, use) =>
    use(await register(administrator, { kind: 'service', name: 'Shop server', resource: RESOURCE })),
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  fetched: async ({}, use) => use([]),
  make: async ({ service, server, fetched }, use) => {
    const made: ProtectedResource[] = []
    await use(async (changes = {}) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const send = fetchFrom(service)
      const options = {
        issuer: service.config.baseUrl,
        clientId: server.client_id,
        clientSecret: server.client_secret ?? '',
        resource: RESOURCE,
        scopes: [READ, WRITE],
        fetch: (input: string | URL | Request, init?: RequestInit) => {
          fetched.push(new URL(String(input)).pathname)
          return send(String(input), init)
        },
        onConnection: () => resolve(),
        ...changes,
      }
      const clock = { wall: () => service.clock.now(), steady: () => service.clock.now() }
      const one = protectedResourceAt(options, clock)
      made.push(one)
      await promise
      return one
    })
    for (const one of made) one.close()
  },
  resource: async ({ make }, use) => use(await make()),
})

describe('protectedResource', () => {
  it('describes itself, and refers a request without a token to the description', async ({ service, resource }) => {
    const nobody = await resource.check({ headers: {} })
    const cookie = await resource.check({ headers: new Headers({ cookie: 'session=a' }) })

    assert.deepEqual(resource.metadata, {
      resource: RESOURCE,
      authorization_servers: [service.config.baseUrl],
      scopes_supported: [READ, WRITE],
      bearer_methods_supported: ['header'],
    })
    assert.equal(resource.metadataPath, new URL(METADATA).pathname)
    const challenge = `Bearer scope="${READ} ${WRITE}", resource_metadata="${METADATA}"`
    assert.equal(resource.challenge, challenge)
    const refused = {
      ok: false,
      status: 401,
      headers: { 'cache-control': 'no-store', 'www-authenticate': challenge },
    }
    assert.deepEqual([nobody, cookie], [refused, refused])
  })

  it('checklist 117: lets in only tokens for its own address, with the scope that a call needs', async ({
    service,
    administrator,
    ann,
    shop,
    resource,
  }) => {
    await register(administrator, { kind: 'service', name: 'Stock', resource: OTHER })
    const scope = `openid ${READ}`
    const { access_token } = await tokensFor(ann, shop, { scope, resource: RESOURCE })
    const good = { headers: bearer(access_token) }
    const wrong = [
      (await tokensFor(ann, shop, { scope })).access_token,
      (await tokensFor(ann, shop, { scope, resource: OTHER })).access_token,
      (await tokensFor(ann, shop, { scope, resource: `${service.config.baseUrl}/mcp` })).access_token,
      ann.token,
      `${access_token}a`,
      'gha_',
      'ey.ey.ey',
    ]
    const admitted = await resource.check(good)
    const fromHeaders = await resource.check({ headers: new Headers(good.headers) }, { scope: READ })
    const lacking = await resource.check(good, { scope: WRITE })

    assert.ok(admitted.ok && fromHeaders.ok)
    const { userId, clientId, kind, scopes, act } = admitted.caller
    assert.deepEqual(
      { userId, clientId, kind, scopes, act },
      {
        userId: ann.id,
        clientId: shop.client_id,
        kind: 'application',
        scopes: ['openid', READ],
        act: undefined,
      },
    )
    assert.deepEqual(lacking, {
      ok: false,
      status: 403,
      headers: {
        'cache-control': 'no-store',
        'www-authenticate': `Bearer error="insufficient_scope", scope="${WRITE}", resource_metadata="${METADATA}"`,
      },
    })
    for (const token of wrong) {
      const refused = await resource.check({ headers: bearer(token) })
      assert.ok(!refused.ok && refused.status === 401, token)
      assert.match(refused.headers['www-authenticate'] ?? '', /error="invalid_token"/)
    }
  })

  it('asks once while it is sure, and never lets in what has ended', async ({
    service,
    ann,
    shop,
    resource,
    fetched,
  }) => {
    const asks = () => fetched.filter((path) => path === '/api/oauth/introspect').length
    const tokens = await tokensFor(ann, shop, { scope: SCOPES.join(' '), resource: RESOURCE })
    const request = { headers: bearer(tokens.access_token) }
    for (let i = 0; i < 5; i++) assert.ok((await resource.check(request)).ok)
    const remembered = asks()
    service.clock.advance({ minutes: 15 })
    const expired = await resource.check(request)
    const next = await tokenRequest(ann, shop, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    })
    const renewed = { headers: bearer(next.body.access_token) }
    const again = await resource.check(renewed)
    const [grant] = (await ann.post('/api/list_grants')).body.items
    await ann.post('/api/revoke_grant', { id: grant.id })
    service.clock.advance({ seconds: 6 })
    const revoked = await resource.check(renewed)

    assert.equal(remembered, 1)
    assert.deepEqual([expired.ok, again.ok, revoked.ok], [false, true, false])
  })

  it('names the service that acts, asks about its tokens each time, and is 503 if nobody answers', async ({
    administrator,
    ann,
    shop,
    server,
    make,
  }) => {
    const stock = await register(administrator, { kind: 'service', name: 'Stock', resource: OTHER })
    const resource = await make({
      resource: 'https://stock.example',
      clientId: stock.client_id,
      clientSecret: stock.client_secret ?? '',
    })
    const { access_token } = await tokensFor(ann, shop, { scope: `openid ${READ}`, resource: RESOURCE })
    const { body } = await exchangedBy(ann, server, access_token, { resource: OTHER })
    const request = { headers: bearer(body.access_token) }
    const admitted = await resource.check(request)
    await administrator.post('/api/admin/rotate_application_secret', { id: server.id })
    const ended = await resource.check(request)
    const alone = await make({ fetch: () => Promise.reject(new TypeError('fetch failed')) })
    const unknown = await alone.check(request)

    assert.ok(admitted.ok)
    assert.deepEqual(admitted.caller.act, { sub: server.client_id })
    assert.equal(ended.ok, false)
    assert.deepEqual([unknown.ok, !unknown.ok && unknown.status], [false, 503])
  })

  it('refuses options that make no sense', ({ service, server }) => {
    const options = {
      issuer: service.config.baseUrl,
      clientId: server.client_id,
      clientSecret: '',
      resource: RESOURCE,
      scopes: [],
    }
    const clock = { wall: () => 0, steady: () => 0 }
    for (const resource of ['mcp', 'ftp://a.example', `${RESOURCE}#a`, 'https://a@b.example'])
      assert.throws(() => protectedResourceAt({ ...options, resource }, clock), /protectedResource: resource/)
    assert.throws(
      () => protectedResourceAt({ ...options, issuer: 'http://id.example' }, clock),
      /protectedResource: issuer/,
    )
  })
})
