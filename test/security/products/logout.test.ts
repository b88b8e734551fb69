import assert from 'node:assert/strict'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { describe } from 'vitest'
import { oauthError, refusal, statuses } from '../../service/answers.ts'
import { basic, bearer, codeFor, register, tokensFor } from '../../service/applications.ts'
import { type Person, stranger } from '../../service/people.ts'
import { type Got, startProduct } from '../../service/product.ts'
import { introspect, redeemFor } from '../../service/shop.ts'
import { it } from '../../service/webhooks.ts'

const OFFLINE = 'openid offline_access'

const tokenIn = ({ body }: Got) => new URLSearchParams(body).get('logout_token') ?? ''

const sessionOf = async (person: Person): Promise<string> => (await person.get('/api/auth/get-session')).body.session.id

describe('114. back-channel logout', () => {
  it('checklist 114: tells each application that the session has signed in to, once, in a token for it alone', async ({
    service,
    administrator,
    ann,
    ben,
    product,
    webhooks,
  }) => {
    await using elsewhere = await startProduct()
    const shop = await register(administrator, { backchannel_logout_uri: product.url })
    const fields = { backchannel_logout_uri: elsewhere.url, id_token_algorithm: 'EdDSA' }
    const other = await register(administrator, fields)
    const silent = await register(administrator)
    const sid = await sessionOf(ann)
    for (const application of [shop, shop, silent]) await tokensFor(ann, application)
    await tokensFor(ben, other)

    await ann.post('/api/auth/sign-out')
    await webhooks.send()
    await webhooks.send()

    assert.deepEqual([product.got.length, elsewhere.got.length], [1, 0])
    const [got = assert.fail()] = product.got
    assert.equal(got.headers['content-type'], 'application/x-www-form-urlencoded')
    const { body: keys } = await ann.get('/api/oauth/jwks')
    const { payload, protectedHeader } = await jwtVerify(tokenIn(got), createLocalJWKSet(keys), {
      issuer: service.config.baseUrl,
      audience: shop.client_id,
      typ: 'logout+jwt',
      currentDate: new Date(service.clock.now()),
    })
    const { iat = 0, exp, jti, iss: _, aud: __, ...claims } = payload
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    assert.deepEqual(claims, { sub: ann.id, sid, events })
    assert.deepEqual([exp, typeof jti, protectedHeader.alg], [iat + 120, 'string', 'RS256'])
  })

  it('checklist 114: whatever ends the session: another browser, the administrator, a suspension; a deletion ends all', async ({
    administrator,
    ann,
    ben,
    product,
    webhooks,
  }) => {
    const shop = await register(administrator, { backchannel_logout_uri: product.url })
    const told = async () => {
      await webhooks.send()
      return product.got.splice(0).map((got) => {
        const { sub, sid } = decodeJwt(tokenIn(got))
        return { sub, sid }
      })
    }
    const signedIn = async (person: Person) => {
      await person.signIn()
      await tokensFor(person, shop)
      return sessionOf(person)
    }

    const first = await signedIn(ann)
    const second = await signedIn(ann)
    const replaced = await told()
    await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })
    const revoked = await told()
    const third = await signedIn(ann)
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Spam' })
    const suspended = await told()
    await signedIn(ben)
    await told()
    await administrator.post('/api/admin/delete_user', { id: ben.id })
    const deleted = await told()

    assert.deepEqual(replaced, [{ sub: ann.id, sid: first }])
    assert.deepEqual(revoked, [{ sub: ann.id, sid: second }])
    assert.deepEqual(suspended, [{ sub: ann.id, sid: third }])
    assert.deepEqual(deleted, [{ sub: ben.id, sid: undefined }])
  })

  it('checklist 114: tries for an hour, each time with a new token, until the application takes one', async ({
    service,
    administrator,
    ann,
    ben,
    product,
    webhooks,
  }) => {
    const shop = await register(administrator, { backchannel_logout_uri: product.url })
    product.behaviour.answer = (_, response) => response.writeHead(500).end()
    const waits = [5, 30, 120, 600, 900, 900, 900]
    const waited = async (seconds: number) => {
      service.clock.advance({ seconds })
      await service.runJob('webhooks')
    }
    await tokensFor(ann, shop)
    await ann.post('/api/auth/sign-out')
    await webhooks.send()
    for (const seconds of waits) await waited(seconds)
    const tries = product.got.splice(0)
    for (const seconds of [900, 3600, 6 * 3600]) await waited(seconds)
    const late = product.got.splice(0)
    await tokensFor(ben, shop)
    await ben.post('/api/auth/sign-out')
    await webhooks.send()
    product.behaviour.answer = (_, response) => response.end()
    await waited(5)
    await waited(30)

    const ids = tries.map((got) => decodeJwt(tokenIn(got)).jti)
    assert.deepEqual([tries.length, new Set(ids).size, late.length], [8, 8, 0])
    assert.equal(product.got.length, 2)
    assert.deepEqual((await webhooks.actions()).length, 0)
  })

  it('checklist 114: follows the address that is saved, and ends when it is cleared', async ({
    administrator,
    ann,
    ben,
    product,
    webhooks,
  }) => {
    await using moved = await startProduct()
    const shop = await register(administrator)
    const save = (backchannel_logout_uri: string | null) =>
      administrator.post('/api/admin/update_application', { id: shop.id, backchannel_logout_uri })
    const out = async (person: Person) => {
      await person.signIn()
      await tokensFor(person, shop)
      await person.post('/api/auth/sign-out')
      await webhooks.send()
      return [product.got.length, moved.got.length]
    }

    const none = await out(ann)
    const saved = await save(product.url)
    const one = await out(ann)
    await save(moved.url)
    const other = await out(ben)
    const cleared = await save(null)
    const quiet = await out(ben)

    assert.deepEqual(
      [none, one, other, quiet],
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [1, 1],
      ],
    )
    assert.deepEqual([saved.body.backchannel_logout_uri, cleared.body.backchannel_logout_uri], [product.url, null])
    assert.equal((await webhooks.list()).total, 0)
  })

  it('checklist 114: takes no address that a webhook may not have, and none for a service', async ({
    administrator,
  }) => {
    const shop = await register(administrator)
    const save = (backchannel_logout_uri: string) =>
      administrator.post('/api/admin/update_application', { id: shop.id, backchannel_logout_uri })
    const refused = []
    for (const address of [
      'https://10.0.0.1/logout',
      'https://[::1]/logout',
      'https://169.254.169.254/',
      'ftp://shop.example/',
      'https://ann:secret@shop.example/',
      'https://shop.example/#x',
      'shop.example',
    ])
      refused.push(await save(address))
    const service = await administrator.post('/api/admin/create_application', {
      ...{ name: 'Robot', kind: 'service', scopes: [] },
      backchannel_logout_uri: 'https://shop.example/logout',
    })

    for (const answer of [...refused, service]) {
      assert.deepEqual(refusal(answer), [400, 'INVALID_REQUEST'])
      assert.equal(answer.body.issues[0].path, 'backchannel_logout_uri')
    }
    assert.equal((await save('https://shop.example/logout')).status, 200)
  })
})

describe('114. access without offline_access', () => {
  it('checklist 114: ends with the session, as do codes that are not redeemed; with it, access stays', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const shop = await register(administrator, { scopes: ['openid', 'profile', 'email', 'offline_access'] })
    const nobody = stranger(service)
    const begun = await Promise.all([tokensFor(ben, shop), tokensFor(ann, shop, { scope: 'openid' })])
    const [ofBen, bare] = begun
    const lasting = await tokensFor(ann, shop, { scope: OFFLINE })
    const given = await codeFor(ann, shop, { scope: OFFLINE })
    await service.runJob('events')
    const feed = (after?: string) => nobody.post('/api/oauth/revocations', { ...(after && { after }) }, basic(shop))
    const { next } = (await feed()).body
    const sid = await sessionOf(ann)
    const { grant_id } = (await introspect(nobody, shop, bare.access_token)).body

    await ann.post('/api/auth/sign-out')
    await service.runJob('events')

    const info = (tokens: { readonly access_token: string }) =>
      nobody.get('/api/oauth/userinfo', bearer(tokens.access_token))
    const seen = [await info(bare), await info(lasting), await info(ofBen)]
    const inactive = await introspect(nobody, shop, bare.access_token)
    const redeemed = await redeemFor(nobody, shop, given)
    const { items } = (await feed(next)).body
    const listed = await administrator.post('/api/admin/list_user_grants', { user_id: ann.id })

    assert.deepEqual(statuses(seen), [401, 200, 200])
    assert.deepEqual(inactive.body, { active: false })
    assert.deepEqual(oauthError(redeemed), [400, 'invalid_grant'])
    assert.deepEqual(
      items.map(({ kind, id }: { readonly kind: string; readonly id: string }) => [kind, id]),
      [
        ['session', sid],
        ['grant', grant_id],
      ],
    )
    assert.deepEqual(
      listed.body.items.map(({ status }: { readonly status: string }) => status),
      ['active', 'revoked'],
    )
  })
})
