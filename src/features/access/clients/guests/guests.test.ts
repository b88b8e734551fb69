import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe } from 'vitest'
import { assertRefused } from '../../../../../test/service/answers.ts'
import { type Registered, register, tokenRequest } from '../../../../../test/service/applications.ts'
import { assistantOf, fetchFrom } from '../../../../../test/service/assistant.ts'
import { challengeOf, newVerifier, REDIRECT } from '../../../../../test/service/grants.ts'
import { it as withService } from '../../../../../test/service/it.ts'
import { from } from '../../../../../test/service/new-browser.ts'
import { type Person, stranger } from '../../../../../test/service/people.ts'
import { startProduct } from '../../../../../test/service/product.ts'
import type { Options } from '../../../../../test/service/service.ts'

const SCOPE = 'operations:feedback:write offline_access'

/** What the assistant's maker publishes, and how often it was fetched. */
class Maker {
  fields: Readonly<Record<string, unknown>> = {}
  headers: Readonly<Record<string, string>> = {}
  bytes = 0
  fetched = 0
  respond: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined
  url = ''

  /** The longest id that is allowed. */
  get id(): string {
    return `${this.url}/client.json`.padEnd(128, '-')
  }

  get domain(): string {
    return new URL(this.url).host
  }

  answer(request: IncomingMessage, response: ServerResponse): unknown {
    this.fetched++
    if (this.respond) return this.respond(request, response)
    const document = {
      client_id: this.id,
      client_name: 'Helpful',
      redirect_uris: [REDIRECT, 'http://localhost/callback'],
      ...this.fields,
    }
    return response.writeHead(200, this.headers).end(JSON.stringify(document).padEnd(this.bytes))
  }
}

const it = withService.extend<{ options: Options; maker: Maker }>({
  // The makers in these tests are on this machine, which is a private network.
  options: { env: { WEBHOOK_NETWORKS: '127.0.0.0/8', TRUSTED_PROXIES: '127.0.0.0/8' } },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  maker: async ({}, use) => {
    const maker = new Maker()
    await using server = await startProduct((request, response) => maker.answer(request, response))
    maker.url = new URL(server.url).origin
    await use(maker)
  },
})

describe('115. a client that describes itself', () => {
  it('checklist 115: is led by the SDK from its document through consent, which shows name and domain, to a call', async ({
    service,
    ann,
    maker,
  }) => {
    const url = `${service.config.baseUrl}/mcp`
    await using assistant = await assistantOf(ann, url, { client_id: maker.id }, fetchFrom(service))
    const sent = await assistant.call('submit_feedback', { type: 'idea', content: 'More doors' })
    const { body: grants } = await ann.post('/api/list_grants')
    const begun = await begin(ann, maker.id)
    const shown = await ann.post('/api/oauth/get_authorization', { request_id: begun.body.request_id })

    assert.equal(sent.isRefused, false, sent.text)
    const { client_name, client_domain, kind } = grants.items[0]
    assert.deepEqual([client_name, client_domain, kind], ['Helpful', maker.domain, 'application'])
    assert.deepEqual(
      [shown.body.client_name, shown.body.client_domain, shown.body.client_logo_url],
      ['Helpful', maker.domain, null],
    )
  })

  it('checklist 115: is refused with the reason if its document is invalid', async ({ ann, maker }) => {
    const { domain } = maker
    const documents = [
      [{ client_id: `${maker.url}/other.json` }, /client_id is not this address/],
      [{ client_name: undefined }, /client_name/],
      [{ client_name: 'a\u202eb' }, /client_name/],
      [{ client_name: 'Helpful\nbut long' }, /client_name/],
      [{ client_name: 'a'.repeat(61) }, /client_name/],
      [{ client_name: 'Gatehouse' }, /name looks like that of another/],
      [{ client_name: 'Gаtehousе Support' }, /name looks like that of another/],
      [{ client_name: 'bank.example' }, /name has a domain/],
      [{ redirect_uris: [] }, /redirect_uris/],
      [{ redirect_uris: ['https://evil.example/callback'] }, new RegExp(`Use addresses of ${domain}`)],
      [{ redirect_uris: ['javascript:alert(1)'] }, /scheme/],
      [{ redirect_uris: [`${REDIRECT}#a`] }, /fragment/],
      [{ token_endpoint_auth_method: 'client_secret_basic' }, /must be none/],
      [{ client_secret: 'a' }, /no secret/],
    ] as const
    for (const [fields, words] of documents) {
      maker.fields = fields
      const answer = await begin(ann, maker.id)
      assertRefused(answer, 'INVALID_REQUEST', 'client_id')
      assert.match(answer.body.message, words, JSON.stringify(fields).slice(0, 80))
    }
  })

  it('checklist 115: has a document of at most 10 KiB and a name of at most 60 characters', async ({ ann, maker }) => {
    maker.fields = { client_name: 'a'.repeat(60) }
    maker.bytes = 10 * 1024 + 1
    assert.match((await begin(ann, maker.id)).body.message, /more than 10 KiB/)
    maker.bytes = 10 * 1024
    assert.equal((await begin(ann, maker.id)).status, 200)
  })

  it('checklist 115: is refused with the reason if its server redirects, fails, or sends something else', async ({
    ann,
    maker,
  }) => {
    const servers = [
      [(_: IncomingMessage, to: ServerResponse) => to.writeHead(302, { location: '/b' }).end(), /was 302/],
      [(_: IncomingMessage, to: ServerResponse) => to.writeHead(404).end('{}'), /was 404/],
      [(_: IncomingMessage, to: ServerResponse) => to.end('<html>'), /not JSON/],
      [(_: IncomingMessage, to: ServerResponse) => to.end('null'), /client_id is not this address/],
      [(_: IncomingMessage, to: ServerResponse) => to.destroy(), /cannot be used/],
      [
        (_: IncomingMessage, to: ServerResponse) =>
          to.writeHead(200, { 'content-length': '9' }).write('{', () => to.destroy()),
        /cannot be used/,
      ],
    ] as const
    for (const [respond, words] of servers) {
      maker.respond = respond
      const answer = await begin(ann, maker.id)
      assertRefused(answer, 'INVALID_REQUEST', 'client_id')
      assert.match(answer.body.message, words)
    }
    assert.equal(maker.fetched, servers.length)
  })

  it('checklist 115: is refused with the reason if its server takes more than five seconds', async ({
    ann,
    maker,
    mock,
  }) => {
    const clock = new AbortController()
    const arrived = Promise.withResolvers<void>()
    maker.respond = (_, response) => {
      // The head, then a byte now and then: each comes in time, but the response never ends.
      response.writeHead(200, { 'content-type': 'application/json' }).write('{')
      arrived.resolve()
    }
    const timeout = mock.method(AbortSignal, 'timeout', () => clock.signal)
    const begun = begin(ann, maker.id)
    await arrived.promise
    clock.abort(new DOMException('The time is over.', 'TimeoutError'))
    const answer = await begun

    assertRefused(answer, 'INVALID_REQUEST', 'client_id')
    assert.match(answer.body.message, /took too long/)
    assert.deepEqual(timeout.mock.calls[0]?.arguments, [5_000])
  })

  it('checklist 115: is not fetched from a private network, nor from an address in another spelling', async ({
    ann,
    maker,
  }) => {
    const inside = [
      ...['https://10.0.0.1/c', 'https://169.254.169.254/c', 'https://[::1]/c', 'https://[fd00::1]/c'],
      // An IPv4 address in an IPv6 one: mapped, translated, 6to4.
      ...['https://[::ffff:a00:1]/c', 'https://[64:ff9b::a00:1]/c', 'https://[2002:a00:1::]/c'],
    ]
    for (const id of [...inside, 'http://93.184.216.34/c']) {
      const answer = await begin(ann, id)
      assertRefused(answer, 'INVALID_REQUEST', 'client_id')
      assert.match(answer.body.message, /private network|Only https/, id)
    }
    const odd = ['/', '/a/../client.json', '/client.json#a', '/%63lient.json?\u0000', '/a b'].map(
      (path) => maker.url + path,
    )
    for (const id of [...odd, maker.url.replace('//', '//ann@'), `${maker.id}a`, 'ftp://a.example/b'])
      assertRefused(await begin(ann, id), 'INVALID_REQUEST', 'client_id')
    assert.equal(maker.fetched, 0)
  })

  it('checklist 115: is fetched again when its server says, between five minutes and a day later', async ({
    service,
    ann,
    maker,
  }) => {
    const cases = [
      ['', 5],
      ['no-store', 5],
      ['max-age=1', 5],
      ['public, max-age=3600', 60],
      ['max-age=99999999', 24 * 60],
    ] as const
    for (const [control, minutes] of cases) {
      maker.headers = { 'cache-control': control }
      service.clock.advance({ days: 2 })
      await ann.signIn()
      const before = maker.fetched
      await begin(ann, maker.id)
      await begin(ann, maker.id)
      service.clock.advance({ minutes, seconds: -1 })
      await begin(ann, maker.id)
      const within = maker.fetched - before
      service.clock.advance({ seconds: 1 })
      await begin(ann, maker.id)

      assert.deepEqual([within, maker.fetched - before], [1, 2], control)
    }
  })

  it('checklist 115: gets its code at the loopback address on any port, and at no address that it has removed', async ({
    service,
    ann,
    maker,
  }) => {
    const other = 'http://localhost:53682/callback'
    const tokens = await tokensOf(ann, maker.id, other)
    service.clock.advance({ minutes: 6 })
    maker.fields = { redirect_uris: [REDIRECT] }
    const gone = await begin(ann, maker.id, { redirect_uri: other })
    const elsewhere = await begin(ann, maker.id, { redirect_uri: 'http://127.0.0.1:5000/other' })
    const refreshed = await refresh(ann, maker.id, tokens.body.refresh_token)

    assert.equal(tokens.status, 200)
    assertRefused(gone, 'INVALID_REQUEST', 'redirect_uri')
    assertRefused(elsewhere, 'INVALID_REQUEST', 'redirect_uri')
    assert.equal(refreshed.status, 200)
  })

  it('checklist 115: is not accepted once the administrator has switched documents off', async ({
    administrator,
    ann,
    maker,
  }) => {
    const tokens = await tokensOf(ann, maker.id)
    await administrator.saveSettings('assistants', { client_documents: false })

    assertRefused(await begin(ann, maker.id), 'INVALID_REQUEST', 'client_id')
    const { status, body } = await refresh(ann, maker.id, tokens.body.refresh_token)
    assert.deepEqual([status, body.error], [401, 'invalid_client'])
    const metadata = await ann.get('/.well-known/oauth-authorization-server')
    assert.equal(metadata.body.client_id_metadata_document_supported, false)
  })

  it('asks its user each time, and can ask an administrator for more', async ({ administrator, ann, maker }) => {
    await tokensOf(ann, maker.id)
    const again = await begin(ann, maker.id)
    const desk = await begin(administrator, maker.id, { scope: 'admin:users:read' })
    const refused = await begin(ann, maker.id, { scope: 'admin:users:read' })
    const decided = await ann.post('/api/oauth/decide_authorization', {
      request_id: refused.body.request_id,
      approve: true,
    })

    assert.ok(again.body.request_id)
    assert.ok(desk.body.request_id)
    assertRefused(decided, 'FORBIDDEN')
  })

  it('is forgotten when nobody has used it for a day, and never while somebody does', async ({
    service,
    administrator,
    ann,
    maker,
  }) => {
    await tokensOf(ann, maker.id)
    const unused = `${maker.url}/unused.json`
    maker.fields = { client_id: unused }
    await begin(ann, unused)
    service.clock.advance({ days: 2 })
    await service.runJob('grants-sweep')

    await administrator.signIn()
    const { body } = await administrator.post('/api/admin/list_applications')
    assert.deepEqual(
      body.items.map(({ id, origin }: { id: string; origin: string }) => [id, origin]),
      [[maker.id, 'document']],
    )
  })

  it('can be deleted by the administrator, but not changed', async ({ administrator, ann, maker }) => {
    const tokens = await tokensOf(ann, maker.id)
    const changed = await administrator.post('/api/admin/update_application', {
      id: maker.id,
      skip_consent: true,
    })
    const deleted = await administrator.post('/api/admin/delete_application', { id: maker.id })

    assertRefused(changed, 'INVALID_REQUEST')
    assert.equal(deleted.status, 200)
    assert.equal((await refresh(ann, maker.id, tokens.body.refresh_token)).status, 401)
  })
})

describe('115. a client that registers itself', () => {
  it('checklist 115: is refused unless the settings allow it; then the SDK leads it to a call', async ({
    service,
    administrator,
    ann,
  }) => {
    const sent = { client_name: 'Helpful', redirect_uris: [REDIRECT] }
    const off = [
      await stranger(service).post('/api/oauth/register', sent),
      await stranger(service).post('/register', {}),
    ]
    const { body: before } = await stranger(service).get('/.well-known/oauth-authorization-server')
    await administrator.saveSettings('assistants', { registration: true, client_documents: false })
    const url = `${service.config.baseUrl}/mcp`
    await using assistant = await assistantOf(ann, url, {}, fetchFrom(service))
    const called = await assistant.call('submit_feedback', { type: 'idea', content: 'More doors' })
    const { body: after } = await stranger(service).get('/.well-known/oauth-authorization-server')
    const guessed = await stranger(service).post('/register', sent)

    for (const { status, body } of off) {
      assert.deepEqual([status, body.error], [403, 'access_denied'])
      assert.match(body.error_description, /^Registration is off\. The administrator can switch it on, or /)
    }
    assert.equal(called.isRefused, false, called.text)
    assert.deepEqual(
      [before.registration_endpoint, after.registration_endpoint],
      [undefined, `${service.config.baseUrl}/api/oauth/register`],
    )
    assert.deepEqual([guessed.status, guessed.body.token_endpoint_auth_method], [201, 'none'])
  })

  it('can register from a page of any site, and without cookies', async ({ service, administrator }) => {
    const headers = { origin: 'https://inspector.example', 'content-type': 'application/json' }
    const preflight = {
      ...{
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    }
    await administrator.saveSettings('assistants', { registration: true })
    for (const path of ['/api/oauth/register', '/register']) {
      const asked = await service.request(path, { method: 'OPTIONS', headers: { ...headers, ...preflight } })
      const body = JSON.stringify({ client_name: 'Inspector', redirect_uris: [REDIRECT] })
      const made = await service.request(path, { method: 'POST', headers, body })

      assert.deepEqual([asked.status, made.status], [204, 201])
      for (const { headers } of [asked, made]) {
        assert.equal(headers.get('access-control-allow-origin'), '*')
        assert.equal(headers.get('access-control-allow-credentials'), null)
      }
      const allowed = asked.headers.get('access-control-allow-headers')?.split(',') ?? []
      for (const name of ['mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id'])
        assert.ok(allowed.includes(name), name)
    }
  })

  it('checklist 127: keeps its place when others flood: unused ones of the largest block give way, oldest first', async ({
    service,
    administrator,
    ann,
  }) => {
    await administrator.saveSettings('assistants', { registration: true })
    const madeFrom = async (address: string) => {
      service.clock.advance({ milliseconds: 1 })
      const sent = { client_name: 'Helpful', redirect_uris: [REDIRECT] }
      const { status, body } = await stranger(service).post('/api/oauth/register', sent, from(address))
      assert.equal(status, 201, JSON.stringify(body))
      return String(body.client_id)
    }
    const [used, asked, quiet] = await inTurn(['10.0.0.9', '203.0.113.9', '192.0.2.1'], madeFrom)
    await tokensOf(ann, used ?? '')
    await begin(ann, asked ?? '')
    await Promise.all(Array.from({ length: 25 * 16 }, (_, i) => madeFrom(`10.0.${i % 25}.7`)))
    const ofOneBlock = Array.from({ length: 6 * 20 }, (_, i) => `203.0.113.${i % 6}`)
    const flood = await inTurn(ofOneBlock, madeFrom)
    const late = await madeFrom('192.0.2.200')

    const living = new Set(await idsOf(administrator))
    for (const id of [used, asked, quiet, late]) assert.ok(living.has(id ?? ''))
    assert.equal(living.size, 500 + 2)
    assert.deepEqual(
      flood.filter((id) => !living.has(id)),
      flood.slice(0, 22),
    )
  })

  it('checklist 115: is refused with the reason for other domains, other people’s names, and too many at once', async ({
    service,
    administrator,
  }) => {
    await administrator.saveSettings('assistants', { registration: true })
    await register(administrator, { name: 'Shop' })
    const send = (fields: object) =>
      stranger(service).post('/api/oauth/register', {
        client_name: 'Helpful',
        redirect_uris: [REDIRECT],
        ...fields,
      })
    const wrong = [
      [{ redirect_uris: ['https://helpful.example/callback'] }, 'invalid_redirect_uri'],
      [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
      [{ client_name: 'Shop' }, 'invalid_client_metadata'],
      [{ client_name: 'The Sh0p Assistant' }, 'invalid_client_metadata'],
      [{ client_name: '' }, 'invalid_request'],
    ] as const
    for (const [fields, error] of wrong) assert.equal((await send(fields)).body.error, error)
    const secure = await send({ redirect_uris: ['https://localhost:3000/callback'] })
    assert.match(secure.body.error_description, /^redirect_uris\.0: .*use http: .*http:\/\/localhost/)
    const good = await send({
      redirect_uris: [REDIRECT, 'com.example.helpful:/callback'],
      logo_uri: 'https://a.example/a',
    })
    const many = await Promise.all(Array.from({ length: 1_000 }, () => send({})))

    assert.deepEqual([good.status, good.body.token_endpoint_auth_method], [201, 'none'])
    const made = many.filter(({ status }) => status === 201).length
    assert.equal(made, 20 - 5 - 1)
    assert.deepEqual([many.at(-1)?.status, many.at(-1)?.body.error], [429, 'temporarily_unavailable'])
  })

  it('checklist 115: shows that nobody has checked it and where its answers go, and ends after 30 days without a user', async ({
    service,
    administrator,
    ann,
  }) => {
    await administrator.saveSettings('assistants', { registration: true })
    const made = () =>
      stranger(service).post('/api/oauth/register', { client_name: 'Helpful', redirect_uris: [REDIRECT] })
    const [used, unused] = [await made(), await made()]
    const begun = await begin(ann, used.body.client_id)
    const shown = await ann.post('/api/oauth/get_authorization', { request_id: begun.body.request_id })
    const tokens = await tokensOf(ann, used.body.client_id)
    const { body: listed } = await ann.post('/api/list_grants')
    service.clock.advance({ days: 30, milliseconds: -1 })
    await service.runJob('grants-sweep')
    await refresh(ann, used.body.client_id, tokens.body.refresh_token)
    const kept = await idsOf(administrator)
    service.clock.advance({ milliseconds: 1 })
    await service.runJob('grants-sweep')

    assert.deepEqual([shown.body.client_domain, shown.body.client_registered_itself], [null, true])
    for (const { client_name } of [shown.body, listed.items[0]]) assert.equal(client_name, 'Helpful (127.0.0.1)')
    assert.deepEqual(kept.toSorted(), [used.body.client_id, unused.body.client_id].toSorted())
    assert.deepEqual(await idsOf(administrator), [used.body.client_id])
  })
})

describe('128. a name that a client gives itself', () => {
  it('checklist 128: is judged by its look, in a document and when it registers', async ({
    service,
    administrator,
    ann,
    maker,
  }) => {
    await administrator.saveSettings('assistants', { registration: true })
    await register(administrator, { name: 'Shop' })
    const names = [
      ...['Gateh०use', 'Gatehous℮', 'Ｇａｔｅｈｏｕｓｅ', 'GatehouseLogin', 'Sh٥p', 'S\u00adhop'],
      ...['google．com', 'google․com', 'google.c\u00adom', 'google·com', 'Your bank – verified ✓', 'Helper (official)'],
      ...['Helpfսl', 'Help०ful'],
    ]
    for (const client_name of names) {
      const sent = { client_name, redirect_uris: [REDIRECT] }
      const registered = await stranger(service).post('/api/oauth/register', sent)
      maker.fields = { client_name }
      const described = await begin(ann, maker.id)

      assert.deepEqual([registered.status, registered.body.error], [400, 'invalid_client_metadata'], client_name)
      assertRefused(described, 'INVALID_REQUEST', 'client_id')
      for (const words of [registered.body.error_description, described.body.message])
        assert.match(words, /client_name: (The name|It) /)
    }
    for (const client_name of ['Помощник for Slack', '助手']) {
      const sent = { client_name, redirect_uris: [REDIRECT] }
      assert.equal((await stranger(service).post('/api/oauth/register', sent)).status, 201)
    }
  })
})

async function inTurn<T, U>(items: readonly T[], act: (item: T) => Promise<U>): Promise<readonly U[]> {
  const results: U[] = []
  for (const item of items) results.push(await act(item))
  return results
}

async function idsOf(administrator: Person): Promise<readonly string[]> {
  await administrator.signIn()
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const { body } = await administrator.post('/api/admin/list_applications', { page, page_size: 100 })
    ids.push(...body.items.map(({ id }: Registered) => id))
    if (ids.length >= body.total) return ids
  }
}

function begin(person: Person, client_id: string, changes: object = {}, verifier = newVerifier()) {
  return person.post('/api/oauth/begin_authorization', {
    client_id,
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: SCOPE,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...changes,
  })
}

async function tokensOf(person: Person, client_id: string, redirect_uri: string = REDIRECT) {
  const verifier = newVerifier()
  const begun = await begin(person, client_id, { redirect_uri }, verifier)
  const decision = { request_id: begun.body.request_id, approve: true }
  const decided = await person.post('/api/oauth/decide_authorization', decision)
  const code = new URL(decided.body.redirect_to).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier }
  return tokenRequest(person, { id: client_id, client_id }, form)
}

function refresh(person: Person, client_id: string, refresh_token: string) {
  return tokenRequest(person, { id: client_id, client_id }, { grant_type: 'refresh_token', refresh_token })
}
