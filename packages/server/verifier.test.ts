import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { describe } from 'vitest'
import { encoded, FakeGatehouse, ISSUER, opaque } from '../../test/service/verifier/fake-gatehouse.ts'
import { ANN, bearer, it } from '../../test/service/verifier/fake-product.ts'
import { createVerifier, type Verifier } from './verifier.ts'

describe('gatehouse/server', () => {
  it('checklist 87: accepts our signed token from either kind of headers without a request', async ({
    gatehouse,
    asking,
  }) => {
    const scope = 'product:shop:read account:profile:read'
    const token = gatehouse.token({ kind: 'grant', scope, approval: 'writes' })

    const needed = { scope: 'product:shop:read' }
    const fromHeaders = await asking.verify({ headers: new Headers({ authorization: `bearer ${token}` }) }, needed)
    const fromNode = await asking.verify({ headers: { authorization: `Bearer ${token}` } }, needed)

    assert.deepEqual(fromHeaders, {
      userId: 'ann',
      email: 'ann@example.com',
      emailVerified: true,
      name: 'Ann',
      role: 'user',
      kind: 'grant',
      scopes: ['product:shop:read', 'account:profile:read'],
      id: 'session-one',
      approval: 'writes',
      organization: undefined,
      actor: undefined,
    })
    assert.deepEqual([fromNode, gatehouse.asks], [fromHeaders, 0])
  })

  it('takes the address for the name if a token has none', async ({ gatehouse, asking }) => {
    const caller = await asking.verify(bearer(gatehouse.token({ name: undefined })))

    assert.equal(caller?.name, 'ann@example.com')
  })

  it('checklist 87: refuses a token with another key, another issuer or audience, or outside its time', async ({
    gatehouse,
    asking,
  }) => {
    gatehouse.keys.set('rsa', { pair: generateKeyPairSync('rsa', { modulusLength: 2048 }), alg: 'RS256' })
    const now = Math.floor(gatehouse.clock.wall() / 1_000)
    const good = gatehouse.token()
    const [head = '', body = '', tail = ''] = good.split('.')
    const jwk = gatehouse.keys.get('one')?.pair.publicKey.export({ format: 'jwk' })
    const foreign = new FakeGatehouse()
    const hmac = (key: string) => {
      const data = `${encoded({ alg: 'HS256', kid: 'one', typ: 'JWT' })}.${body}`
      return `${data}.${createHmac('sha256', key).update(data).digest('base64url')}`
    }
    const bad = {
      none: `${encoded({ alg: 'none', kid: 'one' })}.${body}.`,
      'none with a signature': `${encoded({ alg: 'none', kid: 'one' })}.${body}.${tail}`,
      'public key as a secret': hmac(jwk?.x ?? ''),
      'empty secret': hmac('x'),
      'another body': `${head}.${encoded({ sub: 'eve' })}.${tail}`,
      'no signature': `${head}.${body}.`,
      'swapped algorithm': gatehouse.token({}, { alg: 'RS256' }),
      'swapped key': gatehouse.token({}, { kid: 'rsa' }),
      'unknown key': gatehouse.token({}, { kid: 'two' }),
      'key in the header': foreign.token({}, { jwk, kid: 'three' }),
      'key of another Gatehouse': foreign.token(),
      'header to be understood': gatehouse.token({}, { crit: ['b64'], b64: false }),
      'another kind of token': gatehouse.token({}, { typ: 'at+jwt' }),
      'foreign issuer': gatehouse.token({ iss: 'https://evil.example' }),
      'issuer with a slash': gatehouse.token({ iss: `${ISSUER}/` }),
      'for another': gatehouse.token({ aud: 'shop' }),
      'for nobody': gatehouse.token({ aud: undefined }),
      ended: gatehouse.token({ iat: now - 300, exp: now }),
      'without an end': gatehouse.token({ exp: undefined }),
      'with an end in words': gatehouse.token({ exp: 'never' }),
      'of the future': gatehouse.token({ iat: now + 120, exp: now + 400 }),
      'not yet': gatehouse.token({ nbf: now + 120 }),
      'for no user': gatehouse.token({ sub: undefined }),
      'of another role': gatehouse.token({ role: 'root' }),
      'of another kind': gatehouse.token({ kind: 'service' }),
      'of another approval': gatehouse.token({ approval: 'some' }),
      huge: gatehouse.token({ name: 'x'.repeat(16_000) }),
      'two tokens': `${good}, ${good}`,
      'not base64url': good.replace('.', '.=').replace('ey', '+/'),
      nothing: '',
      words: 'give me access',
      'control characters': `${good}\u0000`,
    }

    assert.ok(await asking.verify(bearer(good)))
    for (const [what, token] of Object.entries(bad)) assert.equal(await asking.verify(bearer(token)), undefined, what)
    assert.equal(gatehouse.asks, 0)
    const jwks = gatehouse.asked.filter((path) => path === '/api/auth/jwks')
    assert.equal(jwks.length, 1, 'made-up key ids must not become requests')
  })

  it('accepts RS256 too, and asks about a token that is valid for longer', async ({ gatehouse, asking }) => {
    gatehouse.keys.set('rsa', { pair: generateKeyPairSync('rsa', { modulusLength: 2048 }), alg: 'RS256' })
    const now = Math.floor(gatehouse.clock.wall() / 1_000)
    const lasting = gatehouse.token({ exp: now + 361 })

    const byRsa = await asking.verify(bearer(gatehouse.token({ exp: now + 360 }, {}, 'rsa')))
    const refused = await asking.verify(bearer(lasting))

    assert.deepEqual([byRsa?.userId, refused, gatehouse.asks], ['ann', undefined, 1])
  })

  it('asks about every session token and cookie, each time', async ({ gatehouse, asking }) => {
    const token = opaque('ann')
    gatehouse.sessions.set(token, 'session-one')

    const byCookie = await asking.verify({ headers: { cookie: `a=b; __Host-session=${token}` } })
    const byToken = await asking.verify(bearer(token))
    gatehouse.sessions.clear()
    const ended = await asking.verify(bearer(token))

    assert.deepEqual([byCookie?.name, byToken?.id, ended], ['Ann Müller', 'session-one', undefined])
    assert.equal(gatehouse.asks, 3)
  })

  it('accepts no cookie that another site could have set', async ({ gatehouse, asking }) => {
    const token = opaque('ann')
    gatehouse.sessions.set(token, 'session-one')

    for (const cookie of [
      `session=${token}`,
      `__host-session=${token}`,
      `\u00a0__Host-session=${token}`,
      `__Host-session=${token}; __Host-session=${opaque('eve')}`,
    ])
      assert.equal(await asking.verify({ headers: new Headers([['cookie', cookie]]) }), undefined, cookie)
    assert.equal(await asking.verify({ headers: { authorization: `Basic ${token}` } }), undefined)
    assert.equal(gatehouse.asks, 0)
  })

  it('asks once, however many requests bring one new token at once', async ({ gatehouse, asking }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')

    const all = await Promise.all(Array.from({ length: 50 }, () => asking.verify(ANN)))

    assert.ok(all.every((caller) => caller?.userId === 'ann'))
    assert.equal(gatehouse.asks, 1)
  })

  it('says why: no session, no scope, not allowed, not reachable', async ({ gatehouse, asking }) => {
    const grant = bearer(gatehouse.token({ kind: 'grant', scope: 'product:shop:read' }))
    const session = bearer(gatehouse.token())
    const check = async (...asked: Parameters<Verifier['check']>) => {
      const checked = await asking.check(...asked)
      return checked.ok ? 'passes' : checked.code
    }
    const scope = 'product:shop:read'

    const scoped = [await check(grant, { scope }), await check(grant, { scope: 'product:shop:write' })]
    const whole = [
      await check(session, { scope: 'product:shop:write' }),
      await check(session, { scope: 'admin:users:read' }),
    ]
    const ofGrant = [
      await check(grant),
      await check(grant, { session: true }),
      await check(grant, { scope, session: true }),
    ]
    const ofSession = [await check(session), await check(session, { session: true })]
    gatehouse.verifyFault = 'refuses'
    const refused = await asking.check(ANN)
    gatehouse.verifyFault = 'cut'
    const unreachable = await check(ANN)
    gatehouse.verifyFault = 'page'
    const captive = await check(ANN)

    assert.deepEqual(
      [scoped, whole],
      [
        ['passes', 'INSUFFICIENT_SCOPE'],
        ['passes', 'INSUFFICIENT_SCOPE'],
      ],
    )
    assert.deepEqual(ofGrant, ['SESSION_REQUIRED', 'SESSION_REQUIRED', 'SESSION_REQUIRED'])
    assert.deepEqual(ofSession, ['passes', 'passes'])
    assert.deepEqual(refused, { ok: false, code: 'EMAIL_NOT_VERIFIED', message: 'Verify the address first.' })
    assert.deepEqual([unreachable, captive], ['UNAVAILABLE', 'UNAVAILABLE'])
  })

  it('checklist 73: reads a cookie header in one pass, also one for which trying every space would take hours', async ({
    asking,
  }) => {
    const white = ' '.repeat(1_000_000)

    for (const cookie of [`a${white}b=c`, `__Host-session=a${white}b`]) {
      assert.equal(await asking.verify({ headers: { cookie } }), undefined)
    }
  })

  it('accepts no response unless all of it is from Gatehouse', async ({ gatehouse, asking }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    const wrong = [
      { 'x-user-id': '' },
      { 'x-auth-id': '' },
      { 'x-user-role': 'root' },
      { 'x-auth-kind': 'god' },
      { 'x-auth-approval': 'some' },
      { 'x-auth-expires': 'never' },
      { 'x-auth-expires': '1' },
      { 'x-auth-expires': '' },
    ]

    for (const headers of wrong) {
      gatehouse.headers = headers
      assert.equal(await asking.verify(ANN), undefined, JSON.stringify(headers))
    }
  })

  it('says what the user of a grant approves first, and `none` for a Gatehouse that does not report it', async ({
    gatehouse,
    asking,
  }) => {
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    const scope = 'product:shop:read'
    const approvals = async () => [
      (await asking.verify(bearer(gatehouse.token()), { scope }))?.approval,
      (await asking.verify(ANN, { scope }))?.approval,
    ]
    const before = await approvals()
    gatehouse.headers = { 'x-auth-kind': 'grant', 'x-auth-approval': 'everything', 'x-auth-scopes': scope }

    assert.deepEqual(
      [before, await approvals()],
      [
        ['none', 'none'],
        ['none', 'everything'],
      ],
    )
  })

  it('sends users to sign in and back, and refuses addresses that no verifier should trust', () => {
    const verifier = createVerifier({ issuer: ISSUER })

    assert.equal(
      verifier.signInUrl('https://app.example.com/a?b=c'),
      `${ISSUER}/sign-in?return_to=https%3A%2F%2Fapp.example.com%2Fa%3Fb%3Dc`,
    )
    for (const issuer of ['http://id.example.com', 'id.example.com', `${ISSUER}/path`, 'ftp://localhost'])
      assert.throws(() => createVerifier({ issuer }), TypeError)
    assert.throws(() => createVerifier({ issuer: ISSUER, clientId: 'shop' }), TypeError)
  })
})
