import assert from 'node:assert/strict'
import type { KeyObject } from 'node:crypto'
import {
  type CryptoKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import { describe } from 'vitest'
import { createVerifierAt } from '../../../packages/server/caching-verifier.ts'
import { signingKey } from '../../../src/features/ground/signing/keys.ts'
import { signingKeysJob } from '../../../src/features/ground/signing/rotation.ts'
import { aesSecretBox } from '../../../src/platform/secrets/secret-box.ts'
import { Interruption } from '../../interleavings/engines/interrupted-engine.ts'
import { startInterruptible } from '../../interleavings/interruptible.ts'
import { listening } from '../../processes/listening.ts'
import { refusal, statuses } from '../../service/answers.ts'
import { bearer } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { grantFor, revoke } from '../../service/grants.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { introspect, it } from '../../service/shop.ts'

it('a signed token has the time at which its caller was looked up, however long the rest takes', async () => {
  const interruption = new Interruption()
  await using service = await startInterruptible(interruption)
  const { ann } = await people(service)
  const lookedUpAt = Math.floor(service.clock.now() / 1000)

  const afterMinutes = async () => service.clock.advance({ minutes: 2 })
  const { body } = await interruption.run(2, afterMinutes, () => ann.get('/api/auth/token'))

  assert.equal(decodeJwt(body.token).iat, lookedUpAt)
  assert.equal(Math.floor(service.clock.now() / 1000) - lookedUpAt, 120)
})

describe('a signed token', () => {
  it('is for the caller, from us, for five minutes, and verified by the published keys', async ({ service, ann }) => {
    await using server = await listening(service)
    const issuer = service.config.baseUrl

    const { body } = await ann.get('/api/auth/token')

    for (const path of ['/api/auth/jwks', '/api/oauth/jwks']) {
      const keys = createRemoteJWKSet(new URL(path, server.url))
      const { payload } = await jwtVerify(body.token, keys, { issuer, audience: issuer, ...at(service) })
      const { iat = 0, exp, sid, ends, ...claims } = payload
      assert.deepEqual(claims, {
        iss: issuer,
        aud: issuer,
        sub: ann.id,
        kind: 'session',
        email: ann.email,
        email_verified: false,
        name: ann.email,
        role: 'user',
        scope: '',
        approval: 'none',
      })
      assert.equal(exp, iat + 300)
      assert.equal(ends, iat + 30 * 24 * 3_600)
      assert.equal(sid, (await ann.get('/api/auth/get-session')).body.session.id)
    }
  })

  it('of a grant names the grant, its scopes, and no more of a role than they give', async ({
    service,
    administrator,
  }) => {
    const narrow = await grantFor(administrator, 'account:profile:read')
    const wide = await grantFor(administrator, 'admin:users:read')

    const claims = await Promise.all(
      [narrow, wide].map(({ tokens }) => claimsFor(service, administrator, tokens.access_token)),
    )

    assert.deepEqual(
      claims.map(({ kind, role, scope }) => [kind, role, scope]),
      [
        ['grant', 'user', 'account:profile:read'],
        ['grant', 'administrator', 'admin:users:read'],
      ],
    )
  })

  it('is good wherever it is checked, however much it says', async ({ service, administrator, ann, shop }) => {
    await using server = await listening(service)
    const scopes = Array.from({ length: 64 }, (_, i) => `product:${`s${i}-`.padEnd(32, 's')}:write`)
    for (const scope of scopes)
      await administrator.post('/api/admin/declare_product_scope', { scope, description: 'All' })
    await ann.post('/api/auth/update-user', { name: '雪'.repeat(254) })
    const wanted = { name: 'All', scopes, expires_in_days: 1 }
    const { token } = (await ann.post('/api/create_personal_token', wanted)).body
    const program = stranger({ ...service, request: server.request })
    const { body: signed } = await program.get('/api/auth/token', bearer(token))
    const verifier = createVerifierAt({ issuer: server.url }, { wall: service.clock.now, steady: () => 0 })

    const verified = await program.get('/api/verify', bearer(signed.token))
    const { body: introspected } = await introspect(program, shop, signed.token)
    const caller = await verifier.verify({ headers: bearer(signed.token) }, { scope: scopes[0] })

    verifier.close()
    assert.deepEqual([verified.status, introspected.active, caller?.userId], [200, true, ann.id])
  })

  it('is refused to a caller without a session, and to one whom the gate keeps out', async ({ service, ann }) => {
    await changeSettings(service, 'authentication', { beta_gate_enabled: true })

    const nobody = await stranger(service).get('/api/auth/token')
    const gated = await ann.get('/api/auth/token')

    assert.deepEqual(refusal(nobody), [401, 'UNAUTHORIZED'])
    assert.deepEqual(refusal(gated), [403, 'BETA_CODE_REQUIRED'])
  })
})

describe('the end of a signed token', () => {
  it('is what /api/verify and introspection say, not the later end of its session or grant', async ({ ann, shop }) => {
    const personal = await personalToken(ann, 10)

    for (const headers of [{}, bearer(personal.token)]) {
      const { token } = (await ann.get('/api/auth/token', headers)).body
      const verified = await ann.get('/api/verify', bearer(token))
      const { body } = await introspect(ann, shop, token)

      const end = decodeJwt(token).exp
      assert.deepEqual([verified.headers.get('x-auth-expires'), body.exp], [String(end), end])
    }
  })

  it('is not the latest that an outage can make it count: that is the end of its session or grant', async ({ ann }) => {
    const personal = await personalToken(ann, 10)

    for (const headers of [{}, bearer(personal.token)]) {
      const { token } = (await ann.get('/api/auth/token', headers)).body
      const verified = await ann.get('/api/verify', bearer(token))
      const whole = await ann.get('/api/verify', headers)

      const { ends } = decodeJwt(token)
      const told = [verified, whole].map((answer) => answer.headers.get('x-auth-ends'))
      assert.deepEqual(told, [String(ends), String(ends)])
      assert.ok(Number(ends) > Number(decodeJwt(token).exp))
    }
  })

  it('is that of its personal token, if that ends before', async ({ service, ann }) => {
    const { token, expires_at } = await personalToken(ann, 1)
    service.clock.advance({ hours: 23, minutes: 59 })
    const { body: signed } = await ann.get('/api/auth/token', bearer(token))

    const { headers } = await ann.get('/api/verify', bearer(signed.token))

    assert.equal(headers.get('x-auth-expires'), String(Math.floor(expires_at / 1000)))
  })
})

describe('/api/verify', () => {
  it('takes a signed token until it, its session or its grant has ended, and no other route does', async ({
    service,
    ann,
  }) => {
    const grant = await grantFor(ann, 'account:profile:read')
    const bySession = bearer((await ann.get('/api/auth/token')).body.token)
    const asGrant = await ann.get('/api/auth/token', bearer(grant.tokens.access_token))
    const byGrant = bearer(asGrant.body.token)
    const path = '/api/verify?scope=account:credits:read'

    const whole = await ann.get(path, bySession)
    const narrow = await ann.get(path, byGrant)
    const elsewhere = await ann.get('/api/auth/list-sessions', bySession)
    await revoke(ann, grant.tokens.access_token)
    const revoked = await ann.get('/api/verify', byGrant)
    service.clock.advance({ minutes: 5, seconds: 1 })
    const ended = await ann.get('/api/verify', bySession)
    const next = await ann.get('/api/auth/token')
    await ann.post('/api/auth/sign-out')
    const signedOut = await ann.get('/api/verify', bearer(next.body.token))

    assert.deepEqual([whole.status, whole.headers.get('x-user-id')], [200, ann.id])
    assert.deepEqual(refusal(narrow), [403, 'INSUFFICIENT_SCOPE'])
    assert.deepEqual(statuses([elsewhere, revoked, ended, signedOut]), [401, 401, 401, 401])
  })

  it('refuses what only looks signed: alg none, a foreign key, other claims, a foreign issuer', async ({
    service,
    ann,
  }) => {
    const token: string = (await ann.get('/api/auth/token')).body.token
    const [header = '', payload = '', signature = ''] = token.split('.')
    const { kid } = decodeProtectedHeader(token)
    const claims = decodeJwt(token)
    const foreign = await generateKeyPair('EdDSA')
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = (changes: object, key: CryptoKey | KeyObject = foreign.privateKey) =>
      new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'EdDSA', kid: kid ?? '' }).sign(key)
    const real = await signingKey(service.platform, 'EdDSA')

    const forgeries = [
      `${part({ alg: 'none' })}.${payload}.`,
      `${part({ alg: 'none', kid })}.${payload}.${signature}`,
      `${header}.${part({ ...claims, sub: 'somebody' })}.${signature}`,
      await signed({}),
      await signed({ iss: 'https://evil.example' }, real.key),
      await signed({ aud: 'another' }, real.key),
      await signed({ exp: Math.floor(service.clock.now() / 1000) - 1 }, real.key),
      await signed({ sub: 'somebody' }, real.key),
      await signed({ kind: 'user' }, real.key),
      `ey${'a'.repeat(8000)}.b.c`,
      'ey..',
    ]

    for (const forgery of forgeries)
      assert.equal((await ann.get('/api/verify', bearer(forgery))).status, 401, forgery.slice(0, 60))
    assert.equal((await ann.get('/api/verify', bearer(token))).status, 200)
  })
})

describe('signing keys', () => {
  it('are made once if a hundred requests come before there are any', async () => {
    const box = aesSecretBox('5e'.repeat(32))
    const sealed: string[] = []
    const seal = (purpose: string, text: string) => {
      sealed.push(purpose)
      return box.seal(purpose, text)
    }
    await using service = await startService({ platform: { secretBox: { ...box, seal } } })

    const sets = await Promise.all(Array.from({ length: 100 }, () => keysOf(service)))

    assert.equal(sealed.filter((purpose) => purpose === 'signing key').length, 2)
    assert.equal(new Set(sets.map((keys) => JSON.stringify(keys))).size, 1)
  })

  it('checklist 87: are published a day before they sign, and until the last token has ended', async ({
    service,
    ann,
  }) => {
    await service.runJob('signing-keys')
    const first = await keysOf(service)
    const oldKid = await kidNow(ann)

    service.clock.advance({ days: 88, hours: 23 })
    await service.runJob('signing-keys')
    assert.deepEqual(await keysOf(service), first)
    service.clock.advance({ hours: 1 })
    await service.runJob('signing-keys')
    const announced = await keysOf(service)
    await ann.signIn()
    service.clock.advance({ hours: 23, minutes: 59 })
    const before = await kidNow(ann)
    const last = await ann.get('/api/auth/token')
    service.clock.advance({ minutes: 2 })
    const after = await kidNow(ann)
    await service.runJob('signing-keys')
    const verified = await jwtVerify(last.body.token, localSet(await keysOf(service)), at(service))
    service.clock.advance({ hours: 2 })
    await service.runJob('signing-keys')
    const left = await keysOf(service)

    assert.deepEqual(first.map(({ alg }) => alg).toSorted(), ['EdDSA', 'RS256'])
    assert.equal(announced.length, 4)
    assert.equal(before, oldKid)
    assert.notEqual(after, oldKid)
    assert.ok(announced.some(({ kid }) => kid === after))
    assert.equal(verified.payload.sub, ann.id)
    const kids = left.map(({ kid }) => kid)
    assert.deepEqual([kids.length, kids.includes(after), kids.includes(oldKid)], [2, true, false])
  })

  it('after a long stop: the old one signs until the new one has been published for a day', async ({
    service,
    ann,
  }) => {
    const oldKid = await kidNow(ann)
    service.clock.advance({ days: 200 })
    await ann.signIn()

    await service.runJob('signing-keys')
    const onReturn = await kidNow(ann)
    service.clock.advance({ days: 1 })
    const dayAfter = await kidNow(ann)

    assert.equal(onReturn, oldKid)
    assert.notEqual(dayAfter, oldKid)
  })

  it('are agreed on by processes that make them at once, and the private part is sealed', async ({ service }) => {
    const { meta } = service.platform

    await Promise.all(Array.from({ length: 5 }, () => signingKeysJob(service.platform).run()))

    const rows = await meta.selectFrom('signing_key').selectAll().execute()
    assert.equal(rows.length, 2)
    for (const { public_jwk, sealed } of rows) {
      assert.match(sealed, /^a1\./)
      assert.ok(!('d' in JSON.parse(public_jwk)))
    }
  })
})

function at(service: Service) {
  return { currentDate: new Date(service.clock.now()) }
}

async function keysOf(service: Service): Promise<JWK[]> {
  return (await stranger(service).get('/api/oauth/jwks')).body.keys
}

async function personalToken(person: Person, expires_in_days: number) {
  const wanted = { name: 'Nightly', scopes: ['account:profile:read'], expires_in_days }
  return (await person.post('/api/create_personal_token', wanted)).body
}

function localSet(keys: JWK[]) {
  return createLocalJWKSet({ keys })
}

async function kidNow(person: Person) {
  const { body } = await person.get('/api/auth/token')
  return decodeProtectedHeader(body.token).kid
}

async function claimsFor(service: Service, person: Person, accessToken: string) {
  const { body } = await person.get('/api/auth/token', bearer(accessToken))
  const { payload } = await jwtVerify(body.token, localSet(await keysOf(service)), at(service))
  return payload
}
