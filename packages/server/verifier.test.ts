import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { createVerifierAt } from './caching-verifier.ts'
import { encoded, FakeGatehouse, ISSUER, opaque } from './fake-gatehouse.ts'
import type { VerifierOptions } from './options.ts'
import { createVerifier, type Verifier } from './verifier.ts'

const CREDENTIALS = { clientId: 'shop', clientSecret: 'secret' }

describe('gatehouse/server', () => {
  it('checklist 87: takes a signed token of ours, from a header of either kind, and asks nobody', async (t) => {
    const { gatehouse, verifier } = await withoutFeed(t)
    const token = gatehouse.token({ kind: 'grant', scope: 'product:shop:read account:profile:read' })

    const fromHeaders = await verifier.verify({ headers: new Headers({ authorization: `bearer ${token}` }) })
    const fromNode = await verifier.verify({ headers: { authorization: `Bearer ${token}` } })

    assert.deepEqual(fromHeaders, {
      userId: 'ann',
      email: 'ann@example.com',
      emailVerified: true,
      name: 'Ann',
      role: 'user',
      kind: 'grant',
      scopes: ['product:shop:read', 'account:profile:read'],
      id: 'session-one',
    })
    assert.deepEqual(fromNode, fromHeaders)
    assert.equal(gatehouse.asks, 0)
  })

  it('checklist 87: refuses what is not signed by a key of ours, for us, and for now', async (t) => {
    const { gatehouse, verifier } = await withoutFeed(t)
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
      huge: gatehouse.token({ name: 'x'.repeat(5_000) }),
      'two tokens': `${good}, ${good}`,
      'not base64url': good.replace('.', '.=').replace('ey', '+/'),
      nothing: '',
      words: 'give me access',
      'control characters': `${good}\u0000`,
    }

    assert.ok(await verifier.verify(bearer(good)))
    for (const [what, token] of Object.entries(bad))
      assert.equal(await verifier.verify(bearer(token)), undefined, what)
    assert.equal(gatehouse.asks, 0)
    const jwks = gatehouse.asked.filter((path) => path === '/api/auth/jwks')
    assert.equal(jwks.length, 1, 'made-up key ids must not become requests')
  })

  it('takes RS256 of an RSA key too, and asks about a token that lives longer than Gatehouse makes them', async (t) => {
    const { gatehouse, verifier } = await withoutFeed(t)
    gatehouse.keys.set('rsa', { pair: generateKeyPairSync('rsa', { modulusLength: 2048 }), alg: 'RS256' })
    const now = Math.floor(gatehouse.clock.wall() / 1_000)
    const lasting = gatehouse.token({ exp: now + 86_400 })

    const byRsa = await verifier.verify(bearer(gatehouse.token({}, {}, 'rsa')))
    const refused = await verifier.verify(bearer(lasting))

    assert.equal(byRsa?.userId, 'ann')
    assert.equal(refused, undefined)
    assert.equal(gatehouse.asks, 1)
  })

  it('without client credentials it asks about every session token and cookie, each time', async (t) => {
    const { gatehouse, verifier } = await withoutFeed(t)
    const token = opaque('ann')
    gatehouse.sessions.set(token, 'session-one')

    const byCookie = await verifier.verify({ headers: { cookie: `a=b; __Host-session=${token}` } })
    const byToken = await verifier.verify(bearer(token))
    gatehouse.sessions.clear()
    const ended = await verifier.verify(bearer(token))

    assert.deepEqual([byCookie?.name, byToken?.id, ended], ['Ann Müller', 'session-one', undefined])
    assert.equal(gatehouse.asks, 3)
  })

  it('takes no cookie that another site could have set', async (t) => {
    const { gatehouse, verifier } = await withoutFeed(t)
    const token = opaque('ann')
    gatehouse.sessions.set(token, 'session-one')

    for (const cookie of [
      `session=${token}`,
      `__host-session=${token}`,
      `\u00a0__Host-session=${token}`,
      `__Host-session=${token}; __Host-session=${opaque('eve')}`,
    ])
      assert.equal(await verifier.verify({ headers: new Headers([['cookie', cookie]]) }), undefined, cookie)
    assert.equal(await verifier.verify({ headers: { authorization: `Basic ${token}` } }), undefined)
    assert.equal(gatehouse.asks, 0)
  })

  it('looks once, however many requests bring the same new token at once', async (t) => {
    const { gatehouse, verifier } = await withoutFeed(t)
    gatehouse.sessions.set(opaque('ann'), 'session-one')

    const all = await Promise.all(Array.from({ length: 50 }, () => verifier.verify(bearer(opaque('ann')))))

    assert.ok(all.every((caller) => caller?.userId === 'ann'))
    assert.equal(gatehouse.asks, 1)
  })

  it('says why: no scope, not allowed, not reachable', async (t) => {
    const { gatehouse, verifier } = await withoutFeed(t)
    const grant = bearer(gatehouse.token({ kind: 'grant', scope: 'product:shop:read' }))
    const session = bearer(gatehouse.token())
    const check = async (request: Parameters<Verifier['check']>[0], scope?: string) => {
      const checked = await verifier.check(request, { scope })
      return checked.caller ? 'passes' : checked.refused
    }

    const scoped = [await check(grant, 'product:shop:read'), await check(grant, 'product:shop:write')]
    const whole = [await check(session, 'product:shop:write'), await check(session, 'admin:users:read')]
    gatehouse.verifyFault = 'cut'
    const unreachable = await check(bearer(opaque('ann')))
    gatehouse.verifyFault = 'page'
    const captive = await check(bearer(opaque('ann')))

    assert.deepEqual(scoped, ['passes', 'insufficient_scope'])
    assert.deepEqual(whole, ['passes', 'insufficient_scope'])
    assert.deepEqual([unreachable, captive], ['unavailable', 'unavailable'])
  })

  it('believes no answer that is not wholly Gatehouse’s', async (t) => {
    const { gatehouse, verifier } = await withoutFeed(t)
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    const wrong = [
      { 'x-user-id': '' },
      { 'x-auth-id': '' },
      { 'x-user-role': 'root' },
      { 'x-auth-kind': 'god' },
      { 'x-auth-expires': 'never' },
      { 'x-auth-expires': '' },
    ]

    for (const headers of wrong) {
      gatehouse.headers = headers
      assert.equal(await verifier.verify(bearer(opaque('ann'))), undefined, JSON.stringify(headers))
    }
  })

  it('sends people to sign in and back, and refuses addresses that no verifier should trust', () => {
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

describe('gatehouse/server with client credentials', () => {
  it('remembers what it asked, and refuses from the moment of the revocation', async (t) => {
    const { gatehouse, verifier } = await following(t)
    gatehouse.sessions.set(opaque('ann'), 'session-one')

    const first = await verifier.verify(bearer(opaque('ann')))
    const second = await verifier.verify(bearer(opaque('ann')))
    gatehouse.revoke('session', 'session-one')
    await heard(gatehouse)
    const after = await verifier.verify(bearer(opaque('ann')))

    assert.deepEqual([first?.userId, second?.userId, after], ['ann', 'ann', undefined])
  })

  it('refuses a signed token of a session that ended, and asks about those of a user who was signed out', async (t) => {
    const { gatehouse, verifier } = await following(t)
    gatehouse.clock.advance(120_000)
    await beat(gatehouse)
    const ended = bearer(gatehouse.token({ sid: 'session-two' }))
    const other = bearer(gatehouse.token())
    const before = [await verifier.verify(ended), await verifier.verify(other)]

    gatehouse.revoke('session', 'session-two')
    await heard(gatehouse)
    const afterSession = [await verifier.verify(ended), await verifier.verify(other)]
    const asks = gatehouse.asks
    gatehouse.revoke('user', 'ann')
    await heard(gatehouse)
    const afterUser = await verifier.verify(other)

    assert.ok(before.every((caller) => caller?.userId === 'ann'))
    assert.deepEqual([afterSession[0], afterSession[1]?.userId, asks], [undefined, 'ann', 0])
    assert.deepEqual([afterUser, gatehouse.asks], [undefined, 1])
  })

  it('asks about a token from before it began to follow: what ended earlier is not in the feed', async (t) => {
    const gatehouse = new FakeGatehouse()
    const token = gatehouse.token()
    gatehouse.revoke('session', 'session-one')
    const { verifier } = await following(t, gatehouse)

    const caller = await verifier.verify(bearer(token))

    assert.equal(caller, undefined)
    assert.equal(gatehouse.asks, 1)
  })

  for (const fault of ['cut', 'hang', 'page', 'lie', 'replay', 'back'] as const) {
    it(`checklist 87: five seconds after the feed (${fault}) it asks, and goes on where it was`, async (t) => {
      const { gatehouse, verifier } = await following(t)
      gatehouse.sessions.set(opaque('ann'), 'session-one')
      await verifier.verify(bearer(opaque('ann')))
      gatehouse.fault = fault
      gatehouse.answerWaiting()
      gatehouse.clock.advance(4_000)

      const within = await verifier.verify(bearer(opaque('ann')))
      const asksWithin = gatehouse.asks
      gatehouse.clock.advance(1_500)
      const later = await verifier.verify(bearer(opaque('ann')))
      const asksLater = gatehouse.asks
      gatehouse.revoke('session', 'session-one')
      const ended = await verifier.verify(bearer(opaque('ann')))

      assert.deepEqual([within?.id, asksWithin], ['session-one', 1])
      assert.deepEqual([later?.id, asksLater], ['session-one', 2])
      assert.equal(ended, undefined)
    })
  }

  it('counts nothing that it learned before, if the feed no longer knows where it was', async (t) => {
    const { gatehouse, verifier } = await following(t)
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    await verifier.verify(bearer(opaque('ann')))
    gatehouse.clock.advance(1_000)
    gatehouse.fault = 'forgot'
    gatehouse.answerWaiting()
    await asked(gatehouse, 2)
    gatehouse.fault = 'none'
    await heard(gatehouse)

    await verifier.verify(bearer(opaque('ann')))

    assert.equal(gatehouse.asks, 2)
  })

  it('refuses what ended while the answer about it was on its way', async (t) => {
    const gatehouse = new FakeGatehouse()
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    const honest = gatehouse.fetch
    const slow = Promise.withResolvers<void>()
    const answering = verifierOf(t, gatehouse, {
      ...CREDENTIALS,
      fetch: async (input, init) => {
        const response = await honest(input, init)
        if (String(input).endsWith('/api/verify')) await slow.promise
        return response
      },
    })
    await heard(gatehouse)

    const pending = answering.verify(bearer(opaque('ann')))
    gatehouse.revoke('session', 'session-one')
    await heard(gatehouse)
    slow.resolve()

    assert.equal(await pending, undefined)
  })

  it('forgets after five minutes, and asks after close()', async (t) => {
    const { gatehouse, verifier } = await following(t)
    gatehouse.sessions.set(opaque('ann'), 'session-one')
    await verifier.verify(bearer(opaque('ann')))
    gatehouse.clock.advance(301_000)
    await beat(gatehouse)
    await verifier.verify(bearer(opaque('ann')))
    const asks = gatehouse.asks
    verifier.close()

    const caller = await verifier.verify(bearer(opaque('ann')))

    assert.equal(asks, 2)
    assert.deepEqual([caller?.userId, gatehouse.asks], ['ann', 3])
  })

  it('tells the product when it is cut off, and when it follows again', async (t) => {
    const told: string[] = []
    const gatehouse = new FakeGatehouse()
    verifierOf(t, gatehouse, { ...CREDENTIALS, onConnection: (state) => told.push(state) })
    await heard(gatehouse)
    gatehouse.fault = 'cut'
    gatehouse.answerWaiting()
    await asked(gatehouse, 2)
    gatehouse.fault = 'none'
    await heard(gatehouse)

    assert.deepEqual(told, ['following', 'cut off', 'following'])
  })
})

function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token}` } }
}

async function withoutFeed(t: TestContext) {
  const gatehouse = new FakeGatehouse()
  return { gatehouse, verifier: verifierOf(t, gatehouse, {}) }
}

async function following(t: TestContext, gatehouse = new FakeGatehouse()) {
  const verifier = verifierOf(t, gatehouse, CREDENTIALS)
  await heard(gatehouse)
  return { gatehouse, verifier }
}

function verifierOf(t: TestContext, gatehouse: FakeGatehouse, options: Partial<VerifierOptions>): Verifier {
  const verifier = createVerifierAt({ issuer: ISSUER, fetch: gatehouse.fetch, ...options }, gatehouse.clock)
  t.after(() => verifier.close())
  return verifier
}

/** Once the verifier waits for the next news, it has taken in all before. */
async function heard(gatehouse: FakeGatehouse): Promise<void> {
  while (!gatehouse.isWaitedFor) await new Promise((resolve) => setImmediate(resolve))
}

/** One turn of the feed without news. */
async function beat(gatehouse: FakeGatehouse): Promise<void> {
  gatehouse.answerWaiting()
  await heard(gatehouse)
  gatehouse.answerWaiting()
  await heard(gatehouse)
}

async function asked(gatehouse: FakeGatehouse, times: number): Promise<void> {
  const count = () => gatehouse.asked.filter((path) => path === '/api/oauth/revocations').length
  const until = count() + times
  while (count() < until) await new Promise((resolve) => setImmediate(resolve))
}
