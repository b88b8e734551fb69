import assert from 'node:assert/strict'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe } from 'vitest'
import { createVerifierAt } from '../../../packages/server/caching-verifier.ts'
import { listening } from '../../processes/listening.ts'
import { bearer, codeFor, register, tokensFor } from '../../service/applications.ts'
import { it } from '../../service/it.ts'
import { people } from '../../service/people.ts'
import { redeemFor, visit } from '../../service/shop.ts'

const kidOf = (token = '') => decodeProtectedHeader(token).kid

describe('a new signing key', () => {
  it('that takes over in the middle of a sign-in is known to those who read the keys before', async ({
    service,
  }) => {
    const { clock } = service
    await using server = await listening(service)
    const { administrator, ann } = await people({ ...service, request: server.request })
    const shop = await register(administrator, { skip_consent: true })
    await service.runJob('signing-keys')
    clock.advance({ days: 89 })
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
