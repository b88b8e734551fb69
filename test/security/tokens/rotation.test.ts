import assert from 'node:assert/strict'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe } from 'vitest'
import { createVerifierAt } from '../../../packages/server/caching-verifier.ts'
import { replaceClosedKeys } from '../../../src/features/ground/signing/keys.ts'
import { rotateSigningKeys } from '../../../src/features/ground/signing/rotation.ts'
import { VersionedCache } from '../../../src/platform/caches/versioned-cache.ts'
import { aesSecretBox } from '../../../src/platform/secrets/secret-box.ts'
import { listening } from '../../processes/listening.ts'
import { bearer, codeFor, register, tokensFor } from '../../service/applications.ts'
import { it } from '../../service/it.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { introspect, redeemFor, visit } from '../../service/shop.ts'

const kidOf = (token = '') => decodeProtectedHeader(token).kid
const published = async (person: Person): Promise<readonly string[]> => {
  const { body } = await person.get('/api/oauth/jwks')
  return body.keys.map(({ kid }: { readonly kid: string }) => kid)
}

describe('a new signing key', () => {
  it('that takes over in the middle of a sign-in is known to those who read the keys before', async ({ service }) => {
    const { clock } = service
    await using server = await listening(service)
    const { administrator, ann } = await people({ ...service, request: server.request })
    const shop = await register(administrator, { skip_consent: true, id_token_algorithm: 'EdDSA' })
    await service.runJob('signing-keys')
    clock.advance({ days: 89, milliseconds: -1 })
    await service.runJob('signing-keys')
    assert.equal((await published(ann)).length, 2)
    clock.advance({ milliseconds: 1 })
    await service.runJob('signing-keys')
    clock.advance({ hours: 23, minutes: 59, seconds: 30 })
    await ann.signIn()
    const time = { wall: clock.now, steady: clock.now }
    const verifier = createVerifierAt({ issuer: server.url }, time)
    const keys = createRemoteJWKSet(new URL('/api/oauth/jwks', server.url))
    const signed = async () => (await ann.get('/api/auth/token')).body.token
    const reads = (token = '') =>
      jwtVerify(token, keys, {
        issuer: server.url,
        audience: shop.client_id,
        currentDate: new Date(clock.now()),
      })

    const { id_token: oldHint = '' } = await tokensFor(ann, shop)
    const oldToken = await signed()
    await Promise.all([verifier.verify({ headers: bearer(oldToken) }), reads(oldHint)])
    const begun = await codeFor(ann, shop)
    clock.advance({ seconds: 31 })
    const redeemed = await redeemFor(ann, shop, begun)
    const newToken = await signed()
    const callers = []
    for (const token of [oldToken, newToken]) callers.push(await verifier.verify({ headers: bearer(token) }))
    const { payload } = await reads(redeemed.body.id_token)
    const again = await visit(ann, shop, { prompt: 'none', id_token_hint: oldHint })

    verifier.close()
    assert.notEqual(kidOf(newToken), kidOf(oldToken))
    assert.equal(kidOf(redeemed.body.id_token), kidOf(newToken))
    for (const caller of callers) assert.equal(caller?.userId, ann.id)
    assert.deepEqual([payload.sub, payload.nonce], [ann.id, 'a-nonce'])
    assert.match(again.headers.get('location') ?? '', /[?&]code=/)
  })
})

describe('113. the operator replaces the signing keys', () => {
  const signed = async (person: Person): Promise<string> => (await person.get('/api/auth/token')).body.token

  it('checklist 113: the new ones are published for a day before they sign; a hint of the old ones still works', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { skip_consent: true })
    const { id_token = '' } = await tokensFor(ann, shop)
    const before = await signed(ann)

    await rotateSigningKeys(service.platform, 'in a day')
    await rotateSigningKeys(service.platform, 'in a day')
    const announced = await published(ann)
    service.clock.advance({ hours: 23 })
    const soon = await signed(ann)
    service.clock.advance({ hours: 2 })
    const later = await signed(ann)
    service.clock.advance({ minutes: 5, milliseconds: -1 })
    const stays = await published(ann)
    service.clock.advance({ milliseconds: 1 })
    await service.runJob('signing-keys')
    const left = await published(ann)
    const hinted = await visit(ann, shop, { prompt: 'none', id_token_hint: id_token })
    const forged = `${id_token.slice(0, -8)}AAAAAAAA`
    const refused = await visit(ann, shop, { prompt: 'none', id_token_hint: forged })

    assert.deepEqual([announced.length, stays.length], [4, 4])
    assert.equal(kidOf(soon), kidOf(before))
    assert.ok(kidOf(later) !== kidOf(before) && announced.includes(kidOf(later) ?? ''))
    assert.deepEqual([left.length, left.includes(kidOf(before) ?? '')], [2, false])
    assert.match(hinted.headers.get('location') ?? '', /[?&]code=/)
    assert.match(refused.headers.get('location') ?? '', /error=login_required/)
  })

  it('checklist 113: a hint of the old ones works for 400 days', async ({ service, administrator, ann }) => {
    const shop = await register(administrator, { skip_consent: true })
    const { id_token: hint = '' } = await tokensFor(ann, shop)
    await rotateSigningKeys(service.platform, 'in a day')
    const answerAfter = async (passed: Parameters<typeof service.clock.advance>[0]) => {
      service.clock.advance(passed)
      await service.runJob('signing-keys')
      await ann.signIn()
      const { headers } = await visit(ann, shop, { prompt: 'none', id_token_hint: hint })
      return /[?&](code|error)=/.exec(headers.get('location') ?? '')?.[1]
    }

    assert.equal(await answerAfter({ days: 401, milliseconds: -1 }), 'code')
    assert.equal(await answerAfter({ milliseconds: 1 }), 'error')
  })

  it('checklist 113: at once if one has leaked, and then nothing that it signed counts, in any process', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { skip_consent: true })
    const elsewhere = stranger({ ...service, request: service.requestElsewhere })
    const { id_token = '' } = await tokensFor(ann, shop)
    const before = await signed(ann)
    const valid = await introspect(elsewhere, shop, before)

    await rotateSigningKeys(service.platform, 'now')
    const after = await signed(ann)
    const seen = [await introspect(elsewhere, shop, before), await introspect(elsewhere, shop, after)]
    const hinted = await visit(ann, shop, { prompt: 'none', id_token_hint: id_token })

    assert.deepEqual([valid.body.active, ...seen.map(({ body }) => body.active)], [true, false, true])
    assert.deepEqual((await published(elsewhere)).length, 2)
    assert.ok(!(await published(elsewhere)).includes(kidOf(before) ?? ''))
    assert.match(hinted.headers.get('location') ?? '', /error=login_required/)
  })

  it('checklist 113: a start that can open none of them makes new ones and says so; earlier tokens stay valid', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator)
    await service.runJob('signing-keys')
    const before = await signed(ann)
    const secretBox = aesSecretBox('ab'.repeat(32))
    const restarted = { ...service.platform, secretBox, versioned: new VersionedCache() }

    await replaceClosedKeys(restarted)
    await replaceClosedKeys(restarted)
    const keys = await published(ann)
    const seen = await introspect(ann, shop, before)

    const warned = service.log.lines.filter(({ message }) => message.includes('CONFIG_ENCRYPTION_KEY'))
    assert.deepEqual([keys.length, warned.length], [4, 2])
    assert.equal(seen.body.active, true)
  })
})
