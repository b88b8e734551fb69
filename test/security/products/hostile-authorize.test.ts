import assert from 'node:assert/strict'
import { describe, it } from '../../running/node-test.ts'
import { CALLBACK, queryFor, register, tokensFor } from '../../service/applications.ts'
import { newVerifier } from '../../service/grants.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

async function world() {
  const service = await startService()
  const { administrator, ann, ben } = await people(service)
  const shop = await register(administrator, { skip_consent: true, post_logout_redirect_uris: [HOME] })
  const close = () => service[Symbol.asyncDispose]()
  return { service, administrator, ann, ben, shop, [Symbol.asyncDispose]: close }
}

const HOME = 'https://shop.example/bye'

/** By the address and by the page: where the browser is sent to, if anywhere. */
async function led(
  person: Person,
  query: Readonly<Record<string, string>>,
): Promise<readonly (URL | null)[]> {
  const { headers, status } = await person.get(`/oauth/authorize?${new URLSearchParams(query)}`)
  assert.ok(status < 500)
  const { body } = await person.post('/api/oauth/begin_authorization', query)
  return [headers.get('location'), body.redirect_to].map((address) => URL.parse(address ?? ''))
}

describe('a hostile authorization request', () => {
  it('is answered at the registered address alone, and brings back what was sent as one parameter', async () => {
    await using w = await world()
    const { ann, shop } = w
    const states = [
      'a&code=stolen&iss=x',
      '#code=stolen',
      "'><script>",
      '%0d%0aset-cookie: a=b',
      '../../',
      'a+b c',
    ]
    const ignored = {
      resource: 'https://evil.example/',
      audience: 'evil',
      display: 'popup',
      claims: '{"sub":1}',
    }

    for (const state of states)
      for (const address of await led(ann, { ...queryFor(shop, newVerifier(), { state }), ...ignored })) {
        assert.equal(address && address.origin + address.pathname, CALLBACK, state)
        assert.equal(address?.searchParams.get('state'), state)
        assert.equal(address?.searchParams.getAll('code').length, 1)
        assert.equal(address?.searchParams.get('iss'), w.service.config.baseUrl)
        assert.equal(address?.hash, '')
      }
  })

  it('with characters or lengths that no valid request has gets no redirect', async () => {
    await using w = await world()
    const { ann, shop } = w
    const changes: readonly Readonly<Record<string, string>>[] = [
      { state: 'a'.repeat(1025) },
      { state: 'a\u0000b' },
      { state: 'a\r\nlocation: https://evil.example/' },
      { state: 'ä' },
      { nonce: 'n'.repeat(513) },
      { nonce: 'a\u0000' },
      { scope: 'openid\u0000' },
      { client_id: `${shop.client_id}\u0000` },
      { client_id: shop.client_id.toUpperCase() },
      { client_id: shop.client_id.replace(/\d/, '\uff11') },
      { client_id: ` ${shop.client_id}` },
      { client_id: 'a'.repeat(3000) },
      { client_id: '__proto__' },
      ...nearAddresses.map((redirect_uri) => ({ redirect_uri })),
    ]

    for (const change of changes)
      assert.deepEqual(
        await led(ann, queryFor(shop, newVerifier(), change)),
        [null, null],
        JSON.stringify(change).slice(0, 80),
      )
  })

  it('that sends a parameter twice gets an error, and no redirect if it is the address or the client', async () => {
    await using w = await world()
    const { ann, shop } = w
    const twice = async (name: string, value: string) => {
      const query = new URLSearchParams(queryFor(shop, newVerifier()))
      for (const _ of query.has(name) ? [1] : [1, 2]) query.append(name, value)
      const { headers, status } = await ann.get(`/oauth/authorize?${query}`)
      const { searchParams } = new URL(headers.get('location') ?? 'none:')
      return [status, searchParams.get('error'), searchParams.has('code')]
    }

    for (const name of [
      'scope',
      'state',
      'code_challenge',
      'code_challenge_method',
      'response_type',
      'nonce',
    ])
      assert.deepEqual(await twice(name, 'openid'), [302, 'invalid_request', false], name)
    for (const [name, value] of Object.entries({
      client_id: 'cli-client',
      redirect_uri: 'https://evil.example/',
    }))
      assert.deepEqual(await twice(name, value), [400, null, false], name)
    assert.deepEqual(await twice('foreign', 'a'), [302, null, true])
    const query = new URLSearchParams(queryFor(shop, newVerifier()))
    const { status } = await ann.get(`/oauth/authorize?client_id=cli-client&${query}`)
    assert.equal(status, 400)
  })

  it('for what is not offered, or with invalid PKCE parameters, gets an error and no code', async () => {
    await using w = await world()
    const { ann, shop } = w
    const tries: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      [{ code_challenge: '' }, 'invalid_request'],
      [{ code_challenge: 'short' }, 'invalid_request'],
      [{ code_challenge: `${'a'.repeat(42)}=` }, 'invalid_request'],
      [{ code_challenge_method: '' }, 'invalid_request'],
      [{ code_challenge_method: 's256' }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ response_type: 'none' }, 'unsupported_response_type'],
      [{ response_type: 'id_token' }, 'unsupported_response_type'],
      [{ response_type: 'code token' }, 'unsupported_response_type'],
      [{ response_type: 'Code' }, 'unsupported_response_type'],
      [{ response_mode: 'form_post' }, 'invalid_request'],
      [{ response_mode: 'fragment' }, 'invalid_request'],
      [{ response_mode: 'query.jwt' }, 'invalid_request'],
      [{ request: 'ey.ey.ey' }, 'request_not_supported'],
      [{ request_uri: 'urn:ietf:params:oauth:request_uri:a' }, 'request_uri_not_supported'],
      [{ request_uri: 'http://169.254.169.254/' }, 'request_uri_not_supported'],
      [{ max_age: '1e9' }, 'invalid_request'],
      [{ max_age: '-0' }, 'invalid_request'],
      [{ prompt: 'none login' }, 'invalid_request'],
      [{ prompt: 'NONE' }, 'invalid_request'],
      [{ scope: 'openid "profile"' }, 'invalid_scope'],
      [{ scope: 'openid\nprofile' }, 'invalid_scope'],
      [{ scope: 'openid offline_access' }, 'invalid_scope'],
    ]

    for (const [change, error] of tries)
      for (const address of await led(ann, queryFor(shop, newVerifier(), change))) {
        const { searchParams } = address ?? new URL('none:')
        assert.deepEqual(
          [searchParams.get('error'), searchParams.get('code'), searchParams.get('state')],
          [error, null, 'a-state'],
          JSON.stringify(change),
        )
      }
  })

  it('with another user’s id_token as its hint gets no code for the user who is signed in', async () => {
    await using w = await world()
    const { administrator, ann, ben, shop } = w
    const other = await register(administrator, { skip_consent: true })
    const { id_token: own = '' } = await tokensFor(ann, shop)
    const { id_token: ofBen = '' } = await tokensFor(ben, shop)
    const { id_token: elsewhere = '' } = await tokensFor(ann, other)
    const ask = async (id_token_hint: string, prompt: string) => {
      const query = queryFor(shop, newVerifier(), { id_token_hint, prompt })
      return (await led(ann, query)).map((address) => address?.searchParams.get('error'))
    }

    assert.deepEqual(await ask(ofBen, 'none'), ['login_required', 'login_required'])
    assert.deepEqual(await ask(ofBen, ''), ['login_required', 'login_required'])
    for (const unreadable of [elsewhere, `${ofBen}a`, 'a.b.c', 'x'])
      assert.deepEqual(await ask(unreadable, 'none'), ['login_required', 'login_required'])
    assert.deepEqual(await ask(own, 'none'), [null, null])
    w.service.clock.advance({ hours: 2 })
    assert.deepEqual(await ask(own, 'none'), [null, null])
  })

  it('with prompt=none while the session ends gets a code or an error, and no code afterwards', async () => {
    await using w = await world()
    const { ann, shop } = w
    const query = new URLSearchParams(queryFor(shop, newVerifier(), { prompt: 'none' }))
    const ask = () => ann.get(`/oauth/authorize?${query}`)

    const answers = await Promise.all([ask(), ann.post('/api/auth/sign-out'), ask(), ask()])
    const after = await ask()

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 302]))
    assert.match(after.headers.get('location') ?? '', /[?&]error=login_required/)
  })

  it('is decided on a page that no other page can frame', async () => {
    await using w = await world()
    const { headers } = await w.ann.get(
      `/oauth/authorize?${new URLSearchParams({ client_id: 'cli-client' })}`,
    )

    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  })
})

describe('the end of a session by an address', () => {
  it('leads to no address that is not registered, whatever comes with it', async () => {
    await using w = await world()
    const { shop } = w
    const foreign = [...nearAddresses, `${HOME}?a`, `${HOME}\u0000`, `${HOME}\r\n`, 'data:text/html,a']

    for (const post_logout_redirect_uri of foreign) {
      const query = new URLSearchParams({ client_id: shop.client_id, post_logout_redirect_uri })
      const { headers } = await stranger(w.service).get(`/oauth/end-session?${query}`)
      assert.equal(headers.get('location'), null, post_logout_redirect_uri)
    }
    const query = new URLSearchParams({
      client_id: shop.client_id,
      post_logout_redirect_uri: HOME,
      state: '&a=b#c',
    })
    const { headers } = await stranger(w.service).get(`/oauth/end-session?${query}`)
    assert.equal(headers.get('location'), `${HOME}?state=%26a%3Db%23c`)
  })
})

/** Each looks like the registered one to someone: a browser, a proxy, a person. */
const nearAddresses = [
  `${CALLBACK}#`,
  `${CALLBACK}?`,
  `${CALLBACK}\u0000`,
  `${CALLBACK}%00`,
  `${CALLBACK}%2f..`,
  `${CALLBACK}/..`,
  `${CALLBACK}\r\n`,
  CALLBACK.replace('https', 'HTTPS'),
  CALLBACK.replace('https', 'http'),
  CALLBACK.replace('.example', '.example.'),
  CALLBACK.replace('.example', '.example:443'),
  CALLBACK.replace('.example', '.example:0443'),
  CALLBACK.replace('shop', 'ann@shop'),
  CALLBACK.replace('shop', 'ann:a@shop'),
  CALLBACK.replace('.example', '.example%2f@evil.example'),
  CALLBACK.replace('.example', '.example\\@evil.example'),
  CALLBACK.replace('o', '\u043e'),
  CALLBACK.replace('shop', '\uff53hop'),
  CALLBACK.replace('/callback', '%2fcallback'),
  CALLBACK.replace('/callback', '\\callback'),
  CALLBACK.replace('c', '%63'),
  CALLBACK.replace('shop.', 'shop\u3002'),
]
