import assert from 'node:assert/strict'
import { decodeJwt } from 'jose'
import { describe } from 'vitest'
import { takesForm } from '../../../src/http/requests/form.ts'
import { isGuarded, isProtected, MCP_PATH, type Route } from '../../../src/http/route.ts'
import { IDENTITY_SCOPES, SCOPES } from '../../../src/rules/scopes.ts'
import { newToken } from '../../../src/rules/tokens.ts'
import { assertRefused, eachOf, statuses } from '../../service/answers.ts'
import { basic, bearer, exchangedBy, type Registered, register, tokensFor } from '../../service/applications.ts'
import { decide, needs } from '../../service/approvals.ts'
import { grantAt, grantFor, postForm, refreshWith, revoke } from '../../service/grants.ts'
import { it as withService } from '../../service/it.ts'
import { type Person, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { declared } from '../support/every-route.ts'

interface Outcome {
  readonly route: string
  readonly status: number
  readonly code: string | undefined
}

interface Told extends Outcome {
  /** The response without its values. */
  readonly shape: string
}

/** Sends this token wherever the call takes one. */
type Call = (token: string) => Promise<Told>

/** A grant with every scope, and everything that can be called with its token. */
interface Walk {
  readonly person: Person
  readonly grantId: string
  /** Makes every call once, and returns those whose response is another than an unknown token gets. */
  readonly accepted: () => Promise<readonly Outcome[]>
  readonly one: () => Promise<Outcome>
}

type Way = 'at each route' | 'at /mcp'

const PRODUCT = 'product:reports:read'
const EVERY_SCOPE = [...Object.keys(SCOPES), PRODUCT]
const INTROSPECT = '/api/oauth/introspect'

const it = withService.extend<{ readonly way: Way; readonly walk: Walk }>({
  way: 'at each route',
  walk: async ({ way, service, administrator }, use) => {
    await administrator.post('/api/admin/declare_product_scope', { scope: PRODUCT, description: 'Reports' })
    await use(await (way === 'at /mcp' ? tools : routes)(service, administrator))
  },
})

async function routes(service: Service, person: Person): Promise<Walk> {
  const shop = await register(person, { scopes: [...Object.keys(IDENTITY_SCOPES), ...EVERY_SCOPE] })
  const scope = ['openid', 'profile', 'email', ...EVERY_SCOPE].join(' ')
  const { access_token } = await tokensFor(person, shop, { scope })
  // Revoking ends the connection, so it has a test of its own.
  const walked = declared.filter(({ path }) => path !== '/api/oauth/revoke')
  const calls = walked.map(
    (route): Call =>
      (token) =>
        callRoute(service, shop, route, token),
  )
  return walkOf(person, access_token, calls)
}

async function tools(service: Service, person: Person): Promise<Walk> {
  const resource = `${service.config.baseUrl}${MCP_PATH}`
  const { tokens } = await grantAt(resource, person, ...EVERY_SCOPE)
  const names = declared.filter(isProtected).map(({ path }) => toolOf(path))
  const messages: readonly Message[] = [
    { method: 'ping', params: {} },
    { method: 'initialize', params: { protocolVersion: '2025-06-18' } },
    { method: 'tools/list', params: {} },
    { method: 'sampling', params: {} },
    ...[...names, 'get_approval', 'no_such_tool'].map((name) => ({
      method: 'tools/call',
      params: { name, arguments: {} },
    })),
  ]
  const calls = messages.map(
    (message): Call =>
      (token) =>
        callTool(service, message, token),
  )
  return walkOf(person, tokens.access_token, calls)
}

async function walkOf(person: Person, token: string, calls: readonly Call[]): Promise<Walk> {
  const [{ id }] = (await person.post('/api/list_grants')).body.items
  const unknown = newToken('access')
  const shapes: string[] = []
  for (const call of calls) shapes.push((await call(unknown)).shape)
  return {
    person,
    grantId: id,
    accepted: async () => {
      const accepted: Outcome[] = []
      for (const [i, call] of calls.entries()) {
        const { shape, ...outcome } = await call(token)
        if (shape !== shapes[i]) accepted.push(outcome)
      }
      return accepted
    },
    one: async () => (await calls.at(-1)?.(token)) ?? assert.fail(),
  }
}

/** Sends it in the header, and in every field that takes a token. */
async function callRoute(service: Service, shop: Registered, route: Route, token: string): Promise<Told> {
  const { method, path } = route
  const response = await service.request(path, { method, ...sentTo(route, shop, token) })
  const type = response.headers.get('content-type') ?? ''
  const body = type.startsWith('application/json') ? JSON.parse(await response.text()) : undefined
  if (body === undefined) await response.body?.cancel()
  return { route: path, status: response.status, code: body?.code, shape: shapeOf(response.status, body) }
}

function sentTo(route: Route, shop: Registered, token: string): RequestInit {
  if (route.method === 'GET') return { headers: bearer(token) }
  if (!takesForm(route)) return { headers: { ...bearer(token), 'content-type': 'application/json' }, body: '{}' }
  const form = { token, access_token: token, subject_token: token, grant_type: 'refresh_token' }
  return { headers: basic(shop), body: new URLSearchParams(form) }
}

interface Message {
  readonly method: string
  readonly params: { readonly name?: string; readonly protocolVersion?: string; readonly arguments?: object }
}

const messageOf = (message: Message) => ({ jsonrpc: '2.0', id: 1, ...message })

async function callTool(service: Service, message: Message, token: string): Promise<Told> {
  const { status, body } = await stranger(service).post(MCP_PATH, messageOf(message), bearer(token))
  const route = routeOf(message)
  const shape = shapeOf(status, body)
  if (body.error) return { route, status: 400, code: 'INVALID_REQUEST', shape }
  const text: string | undefined = body.result?.content?.[0].text
  if (text === undefined) return { route, status, code: body.code, shape }
  const [, refused, content = text] = /^(\d{3}) (\{.*)/s.exec(text) ?? []
  const { code } = content.startsWith('{') ? JSON.parse(content) : {}
  if (code === 'APPROVAL_REQUIRED') return { route, status: 202, code: undefined, shape }
  return { route, status: Number(refused ?? 200), code, shape }
}

const toolOf = (path: string) => path.replace('/api/', '').replaceAll('/', '_')

/** Anything but a tool is listed as a call of `/mcp`. */
function routeOf({ params }: Message): string {
  const tool = declared
    .filter(isGuarded)
    .filter(({ grants, mediaType }) => grants !== 'refused' && mediaType !== 'text/event-stream')
    .find(({ path }) => toolOf(path) === params.name)
  return tool?.path ?? MCP_PATH
}

function shapeOf(status: number, body: unknown): string {
  const shape = JSON.stringify(body, (key, value) => (key === 'code' || isOpen(value) ? value : typeof value))
  return `${status} ${shape}`
}

const isOpen = (value: unknown) => typeof value === 'object' || typeof value === 'boolean'

async function limitTo({ person, grantId }: Walk, daily_limit: number) {
  const { status } = await person.post('/api/update_grant', { id: grantId, daily_limit })
  assert.equal(status, 200)
}

/** Oldest first. */
async function listedFor({ person, grantId }: Walk): Promise<readonly Outcome[]> {
  const listed: Outcome[] = []
  for (let page = 1; ; page++) {
    const asked = { id: grantId, page, page_size: 100 }
    const { items, total } = (await person.post('/api/list_grant_acts', asked)).body
    for (const { route, status, code } of items) listed.push({ route, status, code })
    if (listed.length === total) return listed.toReversed()
  }
}

/** Sent past what the user approves: all that these say is who the user is, or which tools there are. */
const WITHOUT_A_TAP: Readonly<Record<Way, readonly string[]>> = {
  'at each route': ['/api/auth/get-session', '/api/oauth/userinfo', INTROSPECT, '/api/verify'],
  'at /mcp': [MCP_PATH],
}

for (const way of ['at each route', 'at /mcp'] as const) {
  describe(`123. a call at which a grant’s token is accepted, ${way}`, () => {
    it.override('way', way)

    it('checklist 123: counts once, and is listed with its status and the code of its refusal', async ({ walk }) => {
      await limitTo(walk, 1_000_000)
      const accepted = await walk.accepted()
      const listed = await listedFor(walk)
      await limitTo(walk, accepted.length + 1)
      const [last, beyond] = [await walk.one(), await walk.one()]

      assert.ok(accepted.length > 50, `${accepted.length} calls`)
      assert.deepEqual(listed, accepted)
      assert.notEqual(last.status, 429)
      assert.equal(beyond.status, 429)
    })

    it('checklist 123: is refused past the limit, counted and not listed', async ({ walk }) => {
      const accepted = await walk.accepted()
      await limitTo(walk, 1)
      const refused = await walk.accepted()
      const listed = await listedFor(walk)
      await limitTo(walk, 2 * accepted.length + 1)
      const [last, beyond] = [await walk.one(), await walk.one()]

      // An application that asks about the token gets the same response as for an unknown one.
      const expected = accepted.flatMap(({ route }) => (route === INTROSPECT ? [] : `429 at ${route}`))
      assert.deepEqual(
        refused.map(({ route, status }) => `${status} at ${route}`),
        expected,
      )
      assert.deepEqual(listed, accepted)
      assert.notEqual(last.status, 429)
      assert.equal(beyond.status, 429)
    })

    it('checklist 123: waits if everything does, unless it only says who the user is', async ({ walk }) => {
      await needs(walk.person, 'everything')
      const outcomes = await walk.accepted()

      const done = outcomes.filter(({ status }) => status < 400 && status !== 202)
      const waiting = outcomes.filter(({ status }) => status === 202)
      assert.deepEqual(new Set(done.map(({ route }) => route)), new Set(WITHOUT_A_TAP[way]))
      assert.equal(waiting.length, 10)
    })
  })
}

describe('123. a token that a program sends elsewhere than in the header', () => {
  it('checklist 123: counts when a service exchanges it, and the user sees which', async ({
    service,
    administrator,
    ann,
  }) => {
    const resource = 'https://shop.example/mcp'
    const server = await register(administrator, { name: 'Shop server', kind: 'service', resource })
    const tool = await grantAt(resource, ann, 'operations:feedback:write')
    const [{ id }] = (await ann.post('/api/list_grants')).body.items
    const exchange = () => exchangedBy(stranger(service), server, tool.tokens.access_token)
    await ann.post('/api/update_grant', { id, daily_limit: 2 })
    const answers = [await exchange(), await exchange(), await exchange()]

    assert.deepEqual(statuses(answers), [200, 200, 429])
    const { body } = await ann.post('/api/list_grant_acts', { id })
    const act = { route: '/api/oauth/token', status: 200, service: 'Shop server' }
    assert.deepEqual(
      body.items.map(({ route, status, service: by }: Record<string, unknown>) => ({
        route,
        status,
        service: by,
      })),
      [act, act],
    )
  })

  it('checklist 123: counts as a signed token, at a proxy and when a product asks about it', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator)
    const tool = await grantFor(ann, 'account:profile:read')
    const [{ id }] = (await ann.post('/api/list_grants')).body.items
    await ann.post('/api/update_grant', { id, daily_limit: 3 })
    const bare = stranger(service)
    const { token } = (await bare.get('/api/auth/token', bearer(tool.tokens.access_token))).body
    const introspect = () => postForm(bare, INTROSPECT, { token }, basic(shop))
    const within = [await bare.get('/api/verify', bearer(token)), await introspect()]
    const beyond = [await bare.get('/api/verify', bearer(token)), await introspect()]

    assert.deepEqual(statuses([...within, ...beyond]), [200, 200, 429, 200])
    assert.deepEqual([within[1]?.body.active, beyond[1]?.body], [true, { active: false }])
    const { body } = await ann.post('/api/list_grant_acts', { id })
    assert.deepEqual(eachOf({ body }, 'route'), [INTROSPECT, '/api/verify', '/api/auth/token'])
    assert.deepEqual(eachOf({ body }, 'service'), ['Shop', null, null])
  })

  it('checklist 123: counts neither when it is renewed nor when it is given back, also past the limit', async ({
    ann,
  }) => {
    const tool = await grantFor(ann, 'account:profile:read')
    const [{ id }] = (await ann.post('/api/list_grants')).body.items
    await ann.post('/api/update_grant', { id, daily_limit: 1 })
    const used = [await tool.post('/api/get_credit_summary'), await tool.post('/api/get_credit_summary')]
    const refreshed = await tool.refresh()
    const revoked = await revoke(ann, refreshed.body.access_token)

    assert.deepEqual(statuses([...used, refreshed, revoked]), [403, 429, 200, 200])
    const { body } = await ann.post('/api/list_grant_acts', { id })
    assert.deepEqual(eachOf({ body }, 'code'), ['INSUFFICIENT_SCOPE'])
    assert.equal((await ann.post('/api/list_grants')).body.items[0].status, 'revoked')
  })
})

describe('123. a signed token', () => {
  it('checklist 123: says what its grant’s user approves, and waits if that is everything', async ({
    service,
    ann,
  }) => {
    const tool = await grantFor(ann, 'account:profile:read')
    const asked = () => stranger(service).get('/api/auth/token', bearer(tool.tokens.access_token))
    const claimed = ({ body }: { readonly body: { readonly token: string } }) => decodeJwt(body.token).approval
    const bySession = await ann.get('/api/auth/token')
    const free = await asked()
    await needs(ann, 'writes')
    const held = await asked()
    await needs(ann, 'everything')
    const waiting = await asked()
    const { result } = (await decide(ann, waiting)).body

    assert.deepEqual([bySession, free, held].map(claimed), ['none', 'none', 'writes'])
    assert.deepEqual([waiting.status, waiting.body.code], [202, 'APPROVAL_REQUIRED'])
    assert.deepEqual([result.status, claimed(result)], [200, 'everything'])
  })

  it('checklist 123: that waited goes to no token with fewer scopes than the one that asked', async ({
    service,
    ann,
  }) => {
    const tool = await grantFor(ann, 'account:profile:read', 'account:credits:read')
    await needs(ann, 'everything')
    const held = await stranger(service).get('/api/auth/token', bearer(tool.tokens.access_token))
    await decide(ann, held)
    const { body: narrow } = await tool.refresh('account:profile:read')
    const { body: whole } = await refreshWith(ann, narrow.refresh_token)
    const collect = (token: string) =>
      stranger(service).post('/api/get_approval', { id: held.body.approval_id }, bearer(token))
    const [refused, given] = [await collect(narrow.access_token), await collect(whole.access_token)]

    assertRefused(refused, 'INSUFFICIENT_SCOPE')
    assert.match(given.body.result.body.token, /^ey/)
  })
})
