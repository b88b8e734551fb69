import assert from 'node:assert/strict'
import { decodeJwt } from 'jose'
import { describe } from 'vitest'
import { assertRefused } from '../../service/answers.ts'
import { CALLBACK, codeFor, queryFor, type Registered, register, tokensFor } from '../../service/applications.ts'
import { newVerifier } from '../../service/grants.ts'
import { type Person, stranger } from '../../service/people.ts'
import { begin, itWith, redeemFor, visit } from '../../service/shop.ts'
import { NEAR_ADDRESSES } from './near-addresses.ts'

type Fields = Readonly<Record<string, string>>

const HOME = 'https://shop.example/bye'

const it = itWith({ skip_consent: true, post_logout_redirect_uris: [HOME] })

/** The address the browser is sent to, if any: by the address and by the page. */
async function led(person: Person, shop: Registered, changes: Fields): Promise<readonly (URL | null)[]> {
  const { headers, status } = await visit(person, shop, changes)
  assert.ok(status < 500)
  const { body } = await begin(person, shop, changes)
  return [headers.get('location'), body.redirect_to].map((address) => URL.parse(address ?? ''))
}

describe('a hostile authorization request', () => {
  it('is answered at the registered address alone, and brings back what was sent as one parameter', async ({
    service,
    ann,
    shop,
  }) => {
    const ignored = {
      audience: 'evil',
      display: 'popup',
      claims: '{"sub":1}',
    }

    for (const state of [
      ...['a&code=stolen&iss=x', '#code=stolen', "'><script>"],
      ...['%0d%0aset-cookie: a=b', '../../', 'a+b c'],
    ])
      for (const address of await led(ann, shop, { state, ...ignored })) {
        const { origin, pathname, searchParams, hash } = address ?? assert.fail(state)
        assert.deepEqual([origin + pathname, hash], [CALLBACK, ''], state)
        assert.deepEqual([searchParams.get('state'), searchParams.getAll('code').length], [state, 1])
        assert.equal(searchParams.get('iss'), service.config.baseUrl)
      }
  })

  it('with characters that no text can have, or of an unknown client, gets no redirect', async ({ ann, shop }) => {
    const id = shop.client_id
    const changes: readonly Fields[] = [
      { state: 'a\u0000b' },
      { nonce: 'a\u0000' },
      { scope: 'openid\u0000' },
      { client_id: `${id}\u0000` },
      { client_id: id.toUpperCase() },
      { client_id: id.replace(/\d/, '\uff11') },
      { client_id: ` ${id}` },
      { client_id: 'a'.repeat(3000) },
      { client_id: '__proto__' },
    ]

    for (const change of changes)
      assert.deepEqual(await led(ann, shop, change), [null, null], JSON.stringify(change).slice(0, 80))
  })

  it('that sends a parameter twice gets an error, and no redirect if it is the address or the client', async ({
    ann,
    shop,
  }) => {
    const twice = async (name: string, value: string) => {
      const query = new URLSearchParams(queryFor(shop, newVerifier()))
      for (const _ of query.has(name) ? [1] : [1, 2]) query.append(name, value)
      const { headers, status } = await ann.get(`/oauth/authorize?${query}`)
      const { searchParams } = new URL(headers.get('location') ?? 'none:')
      return [status, searchParams.get('error'), searchParams.has('code')]
    }

    for (const name of 'scope state code_challenge code_challenge_method response_type nonce'.split(' '))
      assert.deepEqual(await twice(name, 'openid'), [302, 'invalid_request', false], name)
    assert.deepEqual(await twice('client_id', 'cli-client'), [400, null, false])
    assert.deepEqual(await twice('redirect_uri', 'https://evil.example/'), [400, null, false])
    assert.deepEqual(await twice('foreign', 'a'), [302, null, true])
    const query = new URLSearchParams(queryFor(shop, newVerifier()))
    assert.equal((await ann.get(`/oauth/authorize?client_id=cli-client&${query}`)).status, 400)
  })

  it('for what is not offered, or with invalid PKCE parameters, gets an error and no code', async ({
    service,
    ann,
    shop,
  }) => {
    const refusals: Readonly<Record<string, readonly Fields[]>> = {
      invalid_request: [
        { code_challenge: '' },
        { code_challenge: 'short' },
        { code_challenge: `${'a'.repeat(42)}=` },
        { code_challenge_method: '' },
        { code_challenge_method: 's256' },
        { code_challenge_method: 'plain' },
        { state: 'a'.repeat(4097) },
        { state: 'a\r\nlocation: https://evil.example/' },
        { state: 'ä' },
        { nonce: 'n'.repeat(1025) },
        { scope: `openid ${'a'.repeat(2042)}` },
        { id_token_hint: 'a'.repeat(8193) },
        { response_mode: 'fragment' },
        { response_mode: 'query.jwt' },
        { max_age: '1e9' },
        { max_age: '-0' },
        { max_age: '-1' },
        { prompt: 'none login' },
        { prompt: 'NONE' },
        { prompt: 'dance' },
      ],
      unsupported_response_type: [
        { response_type: 'none' },
        { response_type: 'token' },
        { response_type: 'id_token' },
        { response_type: 'code token' },
        { response_type: 'code id_token' },
        { response_type: 'Code' },
      ],
      request_not_supported: [{ request: 'ey.ey.ey' }, { request: 'ey.ey.' }],
      request_uri_not_supported: [
        { request_uri: 'urn:ietf:params:oauth:request_uri:a' },
        { request_uri: 'http://169.254.169.254/' },
        { request_uri: 'https://evil.example/' },
      ],
      invalid_scope: [
        { scope: '' },
        { scope: 'openid "profile"' },
        { scope: 'openid\nprofile' },
        { scope: 'openid offline_access' },
        { scope: 'openid admin:users:read' },
        { scope: `openid ${'a'.repeat(2041)}` },
      ],
    }

    for (const [error, changes] of Object.entries(refusals))
      for (const change of changes)
        for (const address of await led(ann, shop, change)) {
          const { searchParams } = address ?? new URL('none:')
          assert.deepEqual(
            ['error', 'code', 'state', 'iss'].map((name) => searchParams.get(name)),
            [error, null, change.state ?? 'a-state', service.config.baseUrl],
            JSON.stringify(change),
          )
        }
  })

  it('with another user’s id_token as its hint gets no code for the user who is signed in', async ({
    service,
    administrator,
    ann,
    ben,
    shop,
  }) => {
    const other = await register(administrator, { skip_consent: true })
    const { id_token: own = '' } = await tokensFor(ann, shop)
    const { id_token: ofBen = '' } = await tokensFor(ben, shop)
    const { id_token: elsewhere = '' } = await tokensFor(ann, other)
    const ask = async (id_token_hint: string, prompt = 'none') => {
      const addresses = await led(ann, shop, { id_token_hint, prompt })
      return addresses.map((address) => address?.searchParams.get('error'))
    }

    assert.deepEqual(await ask(ofBen, ''), ['login_required', 'login_required'])
    for (const hint of [ofBen, elsewhere, `${ofBen}a`, 'a.b.c', 'x'])
      assert.deepEqual(await ask(hint), ['login_required', 'login_required'])
    for (const hint of [elsewhere, 'a.b.c', 'x'.repeat(8192)]) assert.deepEqual(await ask(hint, ''), [null, null])
    assert.deepEqual(await ask(own), [null, null])
    service.clock.advance({ hours: 2 })
    assert.deepEqual(await ask(own), [null, null])
  })

  it('with prompt=none while the session ends gets a code or an error, and no code afterwards', async ({
    ann,
    shop,
  }) => {
    const ask = () => visit(ann, shop, { prompt: 'none' })

    const answers = await Promise.all([ask(), ann.post('/api/auth/sign-out'), ask(), ask()])
    const after = await ask()

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 302]))
    assert.match(after.headers.get('location') ?? '', /[?&]error=login_required/)
  })

  it('is decided on a page that no other page can frame', async ({ ann }) => {
    const { headers } = await ann.get('/oauth/authorize?client_id=cli-client')

    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  })
})

describe('the end of a session by an address', () => {
  it('leads to no address that is not registered, whatever comes with it', async ({ service, shop }) => {
    const end = (query: Fields) =>
      stranger(service).get(`/oauth/end-session?${new URLSearchParams({ client_id: shop.client_id, ...query })}`)
    const suffixes = ['/', '?a', '#a', '@evil.example', '\u0000', '\r\n']
    const foreign = ['https://evil.example/', '//evil.example', 'data:text/html,a', ...NEAR_ADDRESSES]

    for (const post_logout_redirect_uri of [...foreign, ...suffixes.map((suffix) => HOME + suffix)]) {
      const { headers } = await end({ post_logout_redirect_uri })
      assert.equal(headers.get('location'), null, post_logout_redirect_uri)
    }
    const { headers } = await end({ post_logout_redirect_uri: HOME, state: '&a=b#c' })
    assert.equal(headers.get('location'), `${HOME}?state=%26a%3Db%23c`)
  })
})

describe('a parameter that is sent twice', () => {
  const at = '/oauth/end-session'
  const twice = (query: string) => `${query}&${query}`

  it.for([
    [at, 'client_id=a'],
    [at, 'id_token_hint=a'],
    [at, 'post_logout_redirect_uri=https://shop.example.com/'],
    [at, 'state=a'],
    ['/oauth/authorize', 'client_id=cli-client'],
    ['/oauth/authorize', 'client_id=cli-client&scope=account:profile:read'],
  ] as const)('is refused at %s: %s', async ([path, query], { service, ann }) => {
    for (const person of [ann, stranger(service)])
      assertRefused(await person.get(`${path}?${twice(query)}`), 'INVALID_REQUEST')
  })
})

describe('a parameter without a value', () => {
  it('counts as omitted at the authorization endpoint and on its page', async ({ service, ann, shop }) => {
    const optional = 'state nonce prompt max_age id_token_hint response_mode request request_uri user_code'
    const empty = Object.fromEntries(optional.split(' ').map((name) => [name, '']))

    const visited = await visit(ann, shop, empty)
    const given = await codeFor(ann, shop, empty)
    const { body } = await redeemFor(ann, shop, given)

    const there = new URL(visited.headers.get('location') ?? '', service.config.baseUrl)
    for (const { searchParams } of [there, given.redirect]) assert.deepEqual([...searchParams.keys()], ['code', 'iss'])
    assert.equal('nonce' in decodeJwt(body.id_token ?? ''), false)
  })

  it('counts as omitted at the end of a session', async ({ ann, shop }) => {
    await ann.post('/api/auth/sign-out')
    const wanted = { client_id: shop.client_id, post_logout_redirect_uri: HOME, id_token_hint: '', state: '' }

    const { headers } = await ann.get(`/oauth/end-session?${new URLSearchParams(wanted)}`)

    assert.equal(headers.get('location'), HOME)
  })
})
