import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe } from 'vitest'
import { type Listening, listening } from '../../processes/listening.ts'
import { basic } from '../../service/applications.ts'
import { it as base } from '../../service/shop.ts'

const KIB = 1024
const FORM = ['content-type', 'application/x-www-form-urlencoded'] as const

/** Names and values as they go over the wire, so that a name can be sent twice. */
type Headers = readonly string[]

/** The endpoints, and what each says to a proven client that sends nothing it understands. */
const ENDPOINTS = [
  ['/api/oauth/token', '400 invalid_request'],
  ['/api/oauth/device_authorization', '400 invalid_scope'],
  ['/api/oauth/revoke', '400 invalid_request'],
  ['/api/oauth/introspect', '400 invalid_request'],
] as const

/** Each is refused before its sender is checked. */
const UNREADABLE: Readonly<Record<string, readonly [Headers, string | Buffer, string]>> = {
  JSON: [['content-type', 'application/json'], '{"token":"a"}', '400 invalid_request'],
  'a list': [['content-type', 'application/json'], '[]', '400 invalid_request'],
  'plain text': [['content-type', 'text/plain'], 'token=a', '400 invalid_request'],
  parts: [['content-type', 'multipart/form-data; boundary=x'], '--x--', '400 invalid_request'],
  'an empty type': [['content-type', ''], 'token=a', '400 invalid_request'],
  'two types': [['content-type', 'text/plain', ...FORM], 'token=a', '400 invalid_request'],
  'a name twice': [FORM, 'token=a&token=a', '400 invalid_request'],
  'an unknown name twice': [FORM, 'a=&a=', '400 invalid_request'],
  'NUL in a value': [FORM, 'client_id=a%00', '400 invalid_request'],
  'NUL as it is': [FORM, 'client_id=a\0', '400 invalid_request'],
  'NUL in a name': [FORM, 'token%00=a&scope%00=a', '400 invalid_request'],
  'half a character in a value': [FORM, 'client_id=%ED%A0%80', '400 invalid_request'],
  'bytes that are no text': [FORM, Buffer.from('746f6b656eff3d61ffc0', 'hex'), '400 invalid_request'],
  'a megabyte that is announced': [[...FORM, 'content-length', String(KIB * KIB)], '', '413 invalid_request'],
}

/** Each can be read but says nothing. */
const SENSELESS: Readonly<Record<string, readonly [Headers, string | Buffer, string?]>> = {
  'no body': [['content-length', '0'], ''],
  'an empty form': [FORM, ''],
  'lists of values': [FORM, 'token[]=a&grant_type[]=a&scope[]=a'],
  'unknown names': [FORM, '__proto__=a&constructor=b&=c&&'],
  'half a character': [FORM, 'token%ED%A0%80=a'],
  'a type with a charset': [['content-type', 'application/x-www-form-urlencoded; charset=utf-16'], 'a=b'],
  'chunks without a type': [['transfer-encoding', 'chunked'], 'token=a'],
}

interface Fixtures {
  readonly server: Listening
  readonly proven: Headers
}

const it = base.extend<Fixtures>({
  server: async ({ service }, use) => {
    await using server = await listening(service)
    await use(server)
  },
  proven: async ({ shop }, use) => use(['authorization', basic(shop).authorization]),
})

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

async function send(
  server: Listening,
  method: string,
  path: string,
  headers: Headers = [],
  body: string | Buffer = '',
): Promise<Answered> {
  const isFramed = headers.some((name) => name === 'content-length' || name === 'transfer-encoding')
  const length = isFramed || method === 'GET' ? [] : ['content-length', String(Buffer.byteLength(body))]
  const all = ['host', new URL(server.url).host, 'connection', 'close', ...headers, ...length]
  const sent = request(new URL(path, server.url), { method, headers: all })
  sent.end(body)
  const [response] = await once(sent, 'response')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

/** RFC 6749 section 5.2, and who is challenged by which scheme. */
function assertRefused(answered: Answered, expected: string, what: string, challenge?: string): void {
  const { status, headers, body } = answered
  assert.ok(status < 500, `${what}: ${status} ${body}`)
  const { error, error_description, ...rest } = JSON.parse(body)
  assert.equal(`${status} ${error}`, expected, what)
  assert.match(error_description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/, what)
  assert.deepEqual(rest, {}, what)
  assert.equal(headers['content-type'], 'application/json', what)
  assert.equal(headers['cache-control'], 'no-store', what)
  assert.equal(headers['www-authenticate'], challenge, what)
}

for (const [path, toNothing] of ENDPOINTS)
  describe(`a refusal of ${path}`, () => {
    it('has the shape of RFC 6749 for every method but POST', async ({ server, proven }) => {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        const answered = await send(server, method, path, proven)
        assertRefused(answered, '405 invalid_request', method)
        assert.equal(answered.headers.allow, 'POST', method)
      }
    })

    it('has it for a body that cannot be read, and for one without any known field', async ({ server, proven }) => {
      for (const [what, [headers, body, expected = toNothing]] of [
        ...Object.entries(UNREADABLE),
        ...Object.entries(SENSELESS),
      ])
        assertRefused(await send(server, 'POST', path, [...proven, ...headers], body), expected, what)
    })

    it('has it for a client that is not proven, with the scheme if it used the header', async ({
      server,
      shop,
      proven,
    }) => {
      const scheme = 'Basic realm="gatehouse"'
      const id = shop.client_id
      const headers: readonly string[] = [
        'Basic',
        'Basic x',
        `Basic ${btoa(`${id}:wrong`)}`,
        `Basic ${btoa(`${id}:%ED%A0%80`)}`,
        `Basic ${'a'.repeat(8 * KIB)}`,
        'Bearer x',
        '\u00ff\u0080',
      ]

      for (const authorization of headers) {
        const answered = await send(server, 'POST', path, [...FORM, 'authorization', authorization], 'a=b')
        assertRefused(answered, '401 invalid_client', authorization.slice(0, 40), scheme)
      }
      const wrongFirst = [...FORM, 'authorization', 'Basic x', ...proven]
      assertRefused(await send(server, 'POST', path, wrongFirst), '401 invalid_client', 'twice', scheme)
      for (const form of [`client_id=${id}`, `client_id=${id}&client_secret=wrong`, 'client_id=%EF%BF%BD'])
        assertRefused(await send(server, 'POST', path, FORM, form), '401 invalid_client', form)
    })
  })

describe('a refusal of /api/oauth/userinfo', () => {
  const path = '/api/oauth/userinfo'
  const challenge = 'Bearer realm="gatehouse"'

  it('has the shape of RFC 6749 for every method but GET and POST', async ({ server }) => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const answered = await send(server, method, path)
      assertRefused(answered, '405 invalid_request', method)
      assert.equal(answered.headers.allow, 'GET, POST', method)
    }
  })

  it('asks for a bearer token, and names an error if one was sent', async ({ server, proven }) => {
    const refused = `${challenge}, error="invalid_token"`
    const tokens: readonly string[] = ['x', 'gha_', `gha_${'a'.repeat(8 * KIB)}`, 'ey.ey.ey', 'a b', '\u00ff']

    for (const method of ['GET', 'POST']) {
      for (const headers of [[], ['authorization', 'Basic x'], proven, ['authorization', 'DPoP x']]) {
        const answered = await send(server, method, path, headers)
        assertRefused(answered, '401 invalid_token', `${method} ${headers}`, challenge)
      }
      for (const token of tokens) {
        const answered = await send(server, method, path, ['authorization', `Bearer ${token}`])
        assertRefused(answered, '401 invalid_token', `${method} ${token.slice(0, 20)}`, refused)
      }
    }
  })
})

describe('a refusal of /api/oauth/revocations', () => {
  const path = '/api/oauth/revocations'
  const json = ['content-type', 'application/json']

  it('has the shape of RFC 6749, whatever is sent', async ({ server, proven }) => {
    const bodies: readonly string[] = [
      ...['[]', '{', 'null', '"a"', '{"nonce":"\\u0000"}', '{"client_id":{"a":1}}'],
      ...['{"after":[]}', '{"after":"-1"}', '{"after":"99999999999999999"}'],
      ...['{"wait_seconds":26}', '{"wait_seconds":1e999}'],
    ]

    for (const body of bodies)
      assertRefused(await send(server, 'POST', path, [...proven, ...json], body), '400 invalid_request', body)
    const form = await send(server, 'POST', path, [...proven, ...FORM], 'after=1')
    assertRefused(form, '415 invalid_request', 'a form')
    assertRefused(await send(server, 'GET', path, proven), '405 invalid_request', 'GET')
    assertRefused(await send(server, 'POST', path, json, '{}'), '401 invalid_client', 'no client')
    const wrong = ['authorization', 'Basic x', ...json]
    const answered = await send(server, 'POST', path, wrong, '{}')
    assertRefused(answered, '401 invalid_client', 'half a header', 'Basic realm="gatehouse"')
  })
})

describe('a refusal of a route that is not an endpoint of RFC 6749', () => {
  it('has the shape of this API: keys and metadata are only read', async ({ server, proven }) => {
    const wellKnown = ['openid-configuration', 'oauth-authorization-server']
    const read = ['/api/oauth/jwks', ...wellKnown.map((name) => `/.well-known/${name}`)]
    const names = ['registration', 'par', 'token/', '%74oken'].map((name) => `/api/oauth/${name}`)

    for (const path of read) {
      const { status, headers, body } = await send(server, 'POST', path, proven)
      assert.deepEqual([status, JSON.parse(body).code], [405, 'METHOD_NOT_ALLOWED'], path)
      assert.deepEqual([headers.allow, headers['cache-control']], ['GET', 'no-store'], path)
    }
    for (const path of [...names, '/oauth/token']) {
      const { status, headers, body } = await send(server, 'POST', path, proven)
      assert.deepEqual([status, JSON.parse(body).code], [404, 'NOT_FOUND'], path)
      assert.equal(headers['cache-control'], 'no-store', path)
    }
  })
})

describe('a page that an application sends a browser to', () => {
  const queries: readonly string[] = [
    'client_id=%ED%A0%80',
    'client_id=%00',
    'client_id=%',
    `client_id=${'a'.repeat(8 * KIB)}`,
    'client_id[]=a&redirect_uri[]=b',
    'client_id=a&client_id=b',
    'client_id=__proto__&redirect_uri=javascript:alert(1)',
    'id_token_hint=ey.ey.ey&post_logout_redirect_uri=https://evil.example/',
    `id_token_hint=${'e'.repeat(8 * KIB)}`,
    '&&==&=',
  ]

  for (const path of ['/oauth/authorize', '/oauth/end-session']) {
    it(`${path} shows itself or refuses for an ugly address or form, and leads nowhere else`, async ({ server }) => {
      for (const query of queries) {
        const shown = await send(server, 'GET', `${path}?${query}`)
        assert.ok([200, 400].includes(shown.status), `${query}: ${shown.status}`)
        assert.equal(shown.headers.location, undefined, query)
        const posted = await send(server, 'POST', path, FORM, query)
        assert.ok([302, 400].includes(posted.status), `${query}: ${posted.status}`)
        assert.match(posted.headers.location ?? path, new RegExp(`^${path}(?:\\?|$)`), query)
      }
    })

    it(`${path} refuses a form that cannot be read`, async ({ server }) => {
      const unreadable = Object.entries(UNREADABLE).filter(([what]) => !what.startsWith('NUL'))

      for (const [what, [headers, body, expected]] of unreadable) {
        const { status, headers: answered } = await send(server, 'POST', path, headers, body)
        assert.equal(String(status), expected.split(' ')[0], what)
        assert.equal(answered['cache-control'], 'no-store', what)
      }
    })
  }
})
