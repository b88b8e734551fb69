import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import {
  basic,
  bearer,
  CALLBACK,
  codeFor,
  type Registered,
  register,
  tokenRequest,
  tokensFor,
} from '../../../../test/service/applications.ts'
import { authorizationQuery, postForm, REDIRECT } from '../../../../test/service/grants.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { type Person, stranger } from '../../../../test/service/people.ts'

const RESOURCE = 'https://mcp.shop.example/mcp'
const FEEDBACK = 'operations:feedback:write'
const SCOPES = ['openid', 'offline_access', 'account:profile:read', FEEDBACK]
const scope = SCOPES.join(' ')
const IDEA = { type: 'idea', content: 'More doors' }

interface Given {
  /** A web application that can have tokens for anything. */
  readonly shop: Registered
  /** Another application, which accepts tokens at `RESOURCE`. */
  readonly owner: Registered
  /** The places that accept the token. */
  readonly doors: (token: string) => Promise<readonly string[]>
}

const it = withService.extend<Given>({
  shop: async ({ administrator }, use) => use(await register(administrator, { scopes: SCOPES })),
  owner: async ({ administrator }, use) => use(await register(administrator, { name: 'Owner', resource: RESOURCE })),
  doors: async ({ service, shop, owner }, use) =>
    use(async (token) => {
      const anybody = stranger(service)
      const introspected = async (by: Registered) => {
        const { body } = await postForm(anybody, '/api/oauth/introspect', { token }, basic(by))
        return body.active === true
      }
      const at = {
        api: (await anybody.post('/api/submit_feedback', IDEA, bearer(token))).status === 200,
        userinfo: (await anybody.get('/api/oauth/userinfo', bearer(token))).status === 200,
        session: (await anybody.get('/api/auth/get-session', bearer(token))).body !== null,
        mcp: (await anybody.post('/mcp', PING, bearer(token))).status === 200,
        verify: (await anybody.get(`/api/verify?scope=${FEEDBACK}`, bearer(token))).status === 200,
        shop: await introspected(shop),
        owner: await introspected(owner),
      }
      return Object.entries(at).flatMap(([door, isOpen]) => (isOpen ? [door] : []))
    }),
})

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const HERE = ['api', 'userinfo', 'session', 'mcp', 'verify', 'shop']

describe('117. a token for one resource', () => {
  it('checklist 117: is refused at every other: this service, its /mcp, an application', async ({
    service,
    ann,
    shop,
    doors,
  }) => {
    const { baseUrl } = service.config
    const opened: Record<string, readonly string[]> = {}
    for (const resource of [baseUrl, `${baseUrl}/`, `${baseUrl}/mcp`, RESOURCE]) {
      const { access_token } = await tokensFor(ann, shop, { scope, resource })
      opened[resource] = await doors(access_token)
    }

    assert.deepEqual(opened, {
      [baseUrl]: HERE,
      [`${baseUrl}/`]: HERE,
      [`${baseUrl}/mcp`]: ['mcp'],
      [RESOURCE]: ['owner'],
    })
  })

  it('checklist 117: keeps its resource after a refresh, and can only be narrowed', async ({
    service,
    ann,
    shop,
    doors,
  }) => {
    const mcp = `${service.config.baseUrl}/mcp`
    const here = await tokensFor(ann, shop, { scope })
    const there = await tokensFor(ann, shop, { scope, resource: RESOURCE })

    const narrowed = await refreshed(ann, shop, here.refresh_token, { resource: mcp })
    const kept = await refreshed(ann, shop, there.refresh_token)
    const widened = await refreshed(ann, shop, kept.body.refresh_token, { resource: mcp })
    const elsewhere = await refreshed(ann, shop, narrowed.body.refresh_token, { resource: RESOURCE })
    const again = await refreshed(ann, shop, narrowed.body.refresh_token)

    assert.deepEqual(await doors(narrowed.body.access_token), ['mcp'])
    assert.deepEqual(await doors(kept.body.access_token), ['owner'])
    for (const { status, body } of [widened, elsewhere]) assert.deepEqual([status, body.error], [400, 'invalid_target'])
    assert.deepEqual(await doors(again.body.access_token), HERE)
  })

  it('checklist 117: is not given for an unknown address', async ({ service, ann, shop }) => {
    const strange = ['https://elsewhere.example', `${service.config.baseUrl}/api`, `${RESOURCE}#a`, 'no address']
    for (const resource of strange) {
      const asked = await codeFor(ann, shop, { scope, resource })
      assert.equal(asked.redirect.searchParams.get('error'), 'invalid_target', resource)
      const device = await postForm(ann, '/api/oauth/device_authorization', {
        client_id: 'cli-client',
        scope: FEEDBACK,
        resource,
      })
      assert.deepEqual([device.status, device.body.error], [400, 'invalid_target'])
    }
    const { baseUrl } = service.config
    const twice = new URLSearchParams({
      ...authorizationQuery([FEEDBACK]),
      client_id: shop.client_id,
      redirect_uri: CALLBACK,
    })
    for (const resource of [baseUrl, `${baseUrl}/mcp`]) twice.append('resource', resource)
    const redirected = await ann.get(`/oauth/authorize?${twice}`)
    assert.match(redirected.headers.get('location') ?? '', /error=invalid_target/)
  })

  it('checklist 117: ends the grant if it is requested for a resource other than the one consented to', async ({
    service,
    ann,
    shop,
    owner,
  }) => {
    assert.notEqual(owner.id, shop.id)
    const { code, verifier } = await codeFor(ann, shop, { scope, resource: RESOURCE })
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier }
    const { status, body } = await tokenRequest<{ error: string }>(ann, shop, {
      ...form,
      resource: service.config.baseUrl,
    })

    assert.deepEqual([status, body.error], [400, 'invalid_target'])
    assert.equal((await ann.post('/api/list_grants')).body.total, 0)
  })

  it('checklist 117: can belong to a device, a command line or a service too', async ({
    service,
    administrator,
    ann,
    doors,
  }) => {
    const mcp = `${service.config.baseUrl}/mcp`
    const form = { client_id: 'cli-client', scope: FEEDBACK, resource: mcp }
    const device = await postForm(ann, '/api/oauth/device_authorization', form)
    const begun = await ann.post('/api/oauth/begin_authorization', { user_code: device.body.user_code })
    await ann.post('/api/oauth/decide_authorization', { request_id: begun.body.request_id, approve: true })
    const polled = await postForm(ann, '/api/oauth/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'cli-client',
      device_code: device.body.device_code,
    })
    const cli = {
      ...authorizationQuery([FEEDBACK]),
      redirect_uri: REDIRECT,
      resource: 'https://elsewhere.example',
    }
    const refused = await ann.post('/api/oauth/begin_authorization', cli)
    const worker = await register(administrator, {
      kind: 'service',
      name: 'Worker',
      scopes: ['admin:users:read'],
    })
    const own = (resource: string) => tokenRequest(ann, worker, { grant_type: 'client_credentials', resource })
    const [forMcp, forOwner, forNobody] = [await own(mcp), await own(RESOURCE), await own('https://a.example')]

    assert.deepEqual(await doors(polled.body.access_token), ['mcp'])
    assert.match(refused.body.redirect_to, /error=invalid_target/)
    assert.deepEqual(await doors(forMcp.body.access_token), ['mcp'])
    assert.deepEqual(await doors(forOwner.body.access_token), ['owner'])
    assert.equal(forNobody.body.error, 'invalid_target')
  })
})

describe('the address of an application', () => {
  it('belongs to one application, and never to this service', async ({ service, administrator, shop, owner }) => {
    const { baseUrl } = service.config
    const set = (id: string, resource: string | null) =>
      administrator.post('/api/admin/update_application', { id, resource })
    const wrong = [`${baseUrl}/mcp`, `${baseUrl}/shop`, 'http://shop.example', 'https://shop.example#a', RESOURCE]
    for (const resource of wrong) assertRefused(await set(shop.id, resource), 'INVALID_REQUEST', 'resource')
    const kept = await set(owner.id, RESOURCE)
    const both = await Promise.all(
      [1, 2].map((number) =>
        administrator.post('/api/admin/create_application', {
          name: `Twin ${number}`,
          kind: 'web',
          redirect_uris: [CALLBACK],
          resource: 'https://twin.example/',
        }),
      ),
    )
    const moved = [await set(owner.id, null), await set(shop.id, RESOURCE)]

    assert.equal(kept.body.resource, RESOURCE)
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 400])
    assert.deepEqual(
      moved.map(({ body }) => body.resource),
      [null, RESOURCE],
    )
  })
})

function refreshed(
  person: Person,
  shop: Registered,
  refresh_token: string,
  more: Readonly<Record<string, string>> = {},
) {
  return tokenRequest(person, shop, { grant_type: 'refresh_token', refresh_token, ...more })
}
