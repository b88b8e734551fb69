import assert from 'node:assert/strict'
import { decodeProtectedHeader } from 'jose'
import { describe } from 'vitest'
import { oauthError, refusal } from '../../service/answers.ts'
import { CALLBACK, codeFor, queryFor, type Registered, register, tokensFor } from '../../service/applications.ts'
import { newVerifier, postForm } from '../../service/grants.ts'
import { type Person, stranger } from '../../service/people.ts'
import { decide, introspect, it, redeemFor, visit } from '../../service/shop.ts'
import { unescaped } from '../../service/unescaped.ts'

const BARE = { code_challenge: '', code_challenge_method: '' }

/** The address the browser is redirected to. */
async function visited(person: Person, shop: Registered, changes: Readonly<Record<string, string>>) {
  const { status, headers } = await visit(person, shop, changes)
  assert.equal(status, 302)
  return new URL(headers.get('location') ?? '')
}

describe('88. require_pkce', () => {
  it('can be switched off for a web application, whose secret then protects the code', async ({
    administrator,
    ann,
  }) => {
    const old = await register(administrator, { require_pkce: false, skip_consent: true })
    const code = async (changes: Readonly<Record<string, string>>) =>
      (await visited(ann, old, changes)).searchParams.get('code') ?? ''
    const verifier = newVerifier()
    const { code_challenge } = queryFor(old, verifier)

    const bare = await redeemFor(ann, old, { code: await code(BARE), verifier: '' })
    const downgraded = await redeemFor(ann, old, { code: await code(BARE), verifier })
    const withPkce = { code: await code({ code_challenge }), verifier }
    const without = await redeemFor(ann, old, { ...withPkce, verifier: '' })
    const right = await redeemFor(ann, old, withPkce)

    assert.deepEqual([bare.status, right.status], [200, 200])
    for (const refused of [downgraded, without]) assert.deepEqual(oauthError(refused), [400, 'invalid_grant'])
  })

  it('is on unless the administrator switches it off, and stays on for every other kind', async ({
    administrator,
    ann,
    shop,
  }) => {
    const asked = await visited(ann, shop, BARE)
    const kinds = [
      ['browser', [CALLBACK]],
      ['native', [CALLBACK]],
      ['service', []],
    ] as const
    const others = kinds.map(([kind, redirect_uris]) => {
      const fields = { name: 'Other', kind, redirect_uris, scopes: [], require_pkce: false }
      return administrator.post('/api/admin/create_application', fields)
    })

    assert.equal(asked.searchParams.get('error'), 'invalid_request')
    for (const answer of await Promise.all(others)) {
      assert.deepEqual(refusal(answer), [400, 'INVALID_REQUEST'])
      assert.equal(answer.body.issues[0].path, 'require_pkce')
    }
  })

  it('refuses codes from before it was switched on', async ({ administrator, ann }) => {
    const old = await register(administrator, { require_pkce: false, skip_consent: true })
    const code = (await visited(ann, old, BARE)).searchParams.get('code') ?? ''
    const pending = await ann.post('/api/oauth/begin_authorization', {
      ...queryFor(old, newVerifier(), { prompt: 'consent', ...BARE }),
    })
    await administrator.post('/api/admin/update_application', { id: old.id, require_pkce: true })

    const redeemed = await redeemFor(ann, old, { code, verifier: '' })
    const decided = await decide(ann, pending.body.request_id)
    const late = new URL(decided.body.redirect_to ?? 'https://shop.example').searchParams.get('code') ?? ''
    const afterwards = await redeemFor(ann, old, { code: late, verifier: '' })

    assert.equal(redeemed.status, 400)
    assert.equal(afterwards.status, 400)
  })
})

describe('id_token_algorithm', () => {
  it('is RS256 for a new web application, because many servers verify nothing else, and EdDSA for others', async ({
    administrator,
    ann,
  }) => {
    const algorithms = []
    for (const fields of [{}, { kind: 'browser' }, { id_token_algorithm: 'EdDSA' }]) {
      const { id_token = '' } = await tokensFor(ann, await register(administrator, fields))
      algorithms.push(decodeProtectedHeader(id_token).alg)
    }

    assert.deepEqual(algorithms, ['RS256', 'EdDSA', 'EdDSA'])
  })
})

describe('an authorization request', () => {
  it('carries a state of 4,096 and a nonce of 1,024 characters; more comes back as an error with the state', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { skip_consent: true })
    const long = { state: '%'.repeat(4096), nonce: 'n'.repeat(1024) }

    const good = await visited(ann, shop, long)
    const [longer, more, unreadable, bigHint] = [
      await visited(ann, shop, { state: 's'.repeat(4097) }),
      await visited(stranger(service), shop, { nonce: 'n'.repeat(1025) }),
      await visited(ann, shop, { state: 'ü' }),
      await visited(ann, shop, { id_token_hint: 'h'.repeat(8193) }),
    ]

    assert.ok(good.searchParams.get('code'))
    assert.equal(good.searchParams.get('state'), long.state)
    for (const refused of [longer, more, unreadable, bigHint]) {
      assert.equal(refused.origin + refused.pathname, CALLBACK)
      assert.equal(refused.searchParams.get('error'), 'invalid_request')
    }
    assert.equal(longer.searchParams.get('state'), 's'.repeat(4097))
  })
})

describe('response_mode=fragment', () => {
  const FRAGMENT = { response_mode: 'fragment', state: 'a b&c=d' }
  const fragmentOf = (address: unknown) => {
    const url = new URL(String(address))
    return { at: url.origin + url.pathname + url.search, fields: new URLSearchParams(url.hash.slice(1)) }
  }

  it('is for browser applications: code, state, issuer and errors come behind the #, also after a click', async ({
    service,
    administrator,
    ann,
    shop,
  }) => {
    const page = await register(administrator, { kind: 'browser', skip_consent: true })
    const asking = await register(administrator, { kind: 'browser' })
    const verifier = newVerifier()
    const query = queryFor(page, verifier, FRAGMENT)

    const { headers } = await ann.get(`/oauth/authorize?${new URLSearchParams(query)}`)
    const quiet = fragmentOf(headers.get('location'))
    const begun = await ann.post('/api/oauth/begin_authorization', queryFor(asking, newVerifier(), FRAGMENT))
    const clicked = fragmentOf((await decide(ann, begun.body.request_id)).body.redirect_to)
    const wrong = fragmentOf(await visited(ann, page, { ...FRAGMENT, scope: 'nothing' }))
    const ofServer = new URL(String(await visited(ann, shop, FRAGMENT)))

    const code = quiet.fields.get('code') ?? ''
    assert.deepEqual([quiet.at, clicked.at, wrong.at], [CALLBACK, CALLBACK, CALLBACK])
    assert.deepEqual(Object.fromEntries(quiet.fields), {
      ...{ code, state: FRAGMENT.state, iss: service.config.baseUrl },
    })
    assert.equal((await redeemFor(ann, page, { code, verifier })).status, 200)
    assert.ok(clicked.fields.get('code'))
    assert.deepEqual([wrong.fields.get('error'), wrong.fields.get('state')], ['invalid_scope', FRAGMENT.state])
    assert.equal(ofServer.hash, '')
    assert.equal(ofServer.searchParams.get('error'), 'invalid_request')
  })
})

describe('response_mode=form_post', () => {
  /** The form the page would send, as a browser reads it. */
  const formOf = async (person: Person, address: string) => {
    const { pathname, search } = new URL(address)
    const page = await person.get(pathname + search)
    const body = String(page.body)
    const inputs = [...body.matchAll(/name="([^"]*)" value="([^"]*)"/g)]
    return {
      page,
      action: unescaped(/action="([^"]*)"/.exec(body)?.[1]),
      fields: Object.fromEntries(inputs.map(([, name, value]) => [unescaped(name), unescaped(value)])),
    }
  }
  const POST = { response_mode: 'form_post' }

  it('sends code, state and issuer as a form, also after a click; what is wrong too', async ({
    service,
    administrator,
    ann,
    shop,
  }) => {
    const quiet = await register(administrator, { skip_consent: true })
    const state = `"><script>alert(1)</script>&'`
    const verifier = newVerifier()
    const query = queryFor(quiet, verifier, { ...POST, state })

    const { headers } = await ann.get(`/oauth/authorize?${new URLSearchParams(query)}`)
    const sent = await formOf(ann, headers.get('location') ?? '')
    const begun = await ann.post('/api/oauth/begin_authorization', queryFor(shop, newVerifier(), POST))
    const clicked = await formOf(ann, (await decide(ann, begun.body.request_id)).body.redirect_to)
    const wrong = await formOf(ann, String(await visited(ann, quiet, { ...POST, scope: 'nothing' })))

    const { code = '' } = sent.fields
    assert.equal(sent.action, CALLBACK)
    assert.deepEqual(sent.fields, { code, state, iss: service.config.baseUrl })
    assert.equal((await redeemFor(ann, quiet, { code, verifier })).status, 200)
    assert.ok(clicked.fields.code)
    assert.deepEqual([wrong.fields.error, wrong.fields.state], ['invalid_scope', 'a-state'])
  })

  it('opens a page that runs one script, stays in no cache, and ends with the code', async ({
    service,
    administrator,
    ann,
  }) => {
    const quiet = await register(administrator, { skip_consent: true })
    const address = String(await visited(ann, quiet, POST))
    const forged = new URL(address)
    forged.searchParams.set('form', `${forged.searchParams.get('form')}x`)

    const { page } = await formOf(ann, address)
    const changed = await formOf(ann, String(forged))
    service.clock.advance({ seconds: 61 })
    const late = await formOf(ann, address)

    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[\w+/]+='/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    for (const { page } of [changed, late]) assert.equal(page.status, 404)
  })
})

describe('a client without a secret', () => {
  it('can send an empty one, in the header or in the form; one with a secret cannot', async ({
    administrator,
    ann,
    shop,
  }) => {
    const page = await register(administrator, { kind: 'browser' })
    const redeemBy = async (application: Registered, way: 'header' | 'form') => {
      const { code, verifier: code_verifier } = await codeFor(ann, application)
      const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code, code_verifier }
      const { client_id } = application
      return way === 'header'
        ? postForm(ann, '/api/oauth/token', form, { authorization: `Basic ${btoa(`${client_id}:`)}` })
        : postForm(ann, '/api/oauth/token', { ...form, client_id, client_secret: '' })
    }

    const taken = [await redeemBy(page, 'header'), await redeemBy(page, 'form')]
    const refused = [await redeemBy(shop, 'header'), await redeemBy(shop, 'form')]

    for (const { status } of taken) assert.equal(status, 200)
    for (const answer of refused) assert.deepEqual(oauthError(answer), [401, 'invalid_client'])
  })
})

describe('a private scheme of a native application', () => {
  const registerApp = (administrator: Person, address: string) =>
    administrator.post('/api/admin/create_application', {
      name: 'App',
      kind: 'native',
      redirect_uris: [address],
    })

  it.for([
    'com.example.app://callback',
    'org.example.App:/oauth2redirect',
    'msauth.com.example.App://auth',
    'vscode://example.tool/callback',
    'vscode-insiders://example.tool/callback',
    'cursor://example.tool/callback',
    'windsurf://example.tool/callback',
    'zed://example/callback',
  ])('can be %s, and gets the response there as it was registered', async (address, { administrator, ann }) => {
    const { status, body } = await registerApp(administrator, address)

    const { code } = await codeFor(ann, body, { redirect_uri: address })
    const wrong = { redirect_uri: address, scope: 'nothing' }
    const begun = await ann.post('/api/oauth/begin_authorization', queryFor(body, newVerifier(), wrong))

    assert.equal(status, 200)
    assert.ok(code)
    assert.ok(begun.body.redirect_to.startsWith(`${address}?`), begun.body.redirect_to)
  })

  it.for([
    'javascript:/alert(1)',
    'JavaScript://%0aalert(1)',
    'data:/text/html,x',
    'file:///etc/passwd',
    'example://callback',
    'com.example.app:callback',
    '.app://callback',
    'app.://callback',
    'com..app://callback',
    'ftp://shop.example/cb',
    'com.example.app://user@host/cb',
    'com.example.app://callback#x',
  ])('is never %s', async (address, { administrator }) => {
    assert.deepEqual(refusal(await registerApp(administrator, address)), [400, 'INVALID_REQUEST'])
  })
})

describe('introspection', () => {
  it('says whose a token is and since when, the session of an application, and the address if it is allowed to', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator)
    const { session } = (await ann.get('/api/auth/get-session')).body
    const { access_token } = await tokensFor(ann, shop)
    const bare = await tokensFor(ann, shop, { scope: 'openid' })
    const { token } = (await ann.get('/api/auth/token')).body

    const whole = (await introspect(ann, shop, access_token)).body
    const little = (await introspect(ann, shop, bare.access_token)).body
    const signed = (await introspect(ann, shop, token)).body

    const [iss, now] = [service.config.baseUrl, Math.floor(service.clock.now() / 1000)]
    const { grant_id, ...shown } = whole
    assert.deepEqual(shown, {
      ...{ active: true, iss, aud: iss, iat: now, exp: now + 900, kind: 'application', token_type: 'Bearer' },
      ...{ client_id: shop.client_id, sub: ann.id, username: ann.email, sid: session.id },
      scope: 'openid profile email',
      approval: 'none',
    })
    const { items } = (await ann.post('/api/list_grants')).body
    assert.ok(items.some(({ id }: { readonly id: string }) => id === grant_id))
    assert.deepEqual([little.username, little.sid], [undefined, session.id])
    assert.deepEqual(
      [signed.kind, signed.sid, signed.aud, signed.iat, signed.username],
      ['session', session.id, iss, now, ann.email],
    )
  })
})
