import assert from 'node:assert/strict'
import { decodeJwt } from 'jose'
import { describe } from 'vitest'
import { oauthError, refusal } from '../../service/answers.ts'
import { bearer, CALLBACK, codeFor, queryFor, register, tokensFor } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { newVerifier } from '../../service/grants.ts'
import { stranger } from '../../service/people.ts'
import { begin, decide, introspect, it, redeemFor, refreshFor, visit as visitFor } from '../../service/shop.ts'

/** The parameters the application gets in the redirect; undefined if there is none. */
async function visit(...args: Parameters<typeof visitFor>) {
  const { status, headers } = await visitFor(...args)
  const location = headers.get('location')
  return status === 302 && location ? new URL(location).searchParams : undefined
}

describe('the authorization endpoint', () => {
  it('asks once for the same scopes, again for more, and again after the user has taken it back', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { scopes: ['openid', 'email', 'profile', 'offline_access'] })

    const first = await codeFor(ann, shop, { scope: 'openid email' })
    const second = await codeFor(ann, shop, { scope: 'openid email' })
    const fewer = await visit(ann, shop, { scope: 'openid' })
    const more = await codeFor(ann, shop, { scope: 'openid email offline_access' })
    await tokensFor(ann, shop, { scope: 'openid email offline_access' })
    const { items } = (await ann.post('/api/list_grants')).body
    await ann.post('/api/revoke_grant', { id: items[0].id })
    const after = await codeFor(ann, shop, { scope: 'openid' })

    const asked = [first, second, more, after].map(({ wasAsked }) => wasAsked)
    assert.deepEqual(asked, [true, false, true, true])
    assert.ok(fewer?.get('code'))
    assert.deepEqual([fewer?.get('state'), fewer?.get('iss')], ['a-state', service.config.baseUrl])
    assert.equal(items[0].kind, 'application')
  })

  it('does not ask for the operator’s own applications, and always asks for administrator scopes and device programs', async ({
    administrator,
    ann,
  }) => {
    const scopes = ['openid', 'admin:users:read']
    const own = await register(administrator, { skip_consent: true, scopes })
    const app = await register(administrator, { kind: 'native', redirect_uris: ['com.example.app:/cb'] })
    const redirect_uri = 'com.example.app:/cb'

    const quiet = await visit(ann, own, { scope: 'openid' })
    const powerful = await visit(administrator, own, { scope: scopes.join(' ') })
    const first = await codeFor(ann, app, { redirect_uri })
    const second = await codeFor(ann, app, { redirect_uri })

    assert.ok(quiet?.get('code'))
    assert.equal(powerful, undefined)
    assert.deepEqual([first.wasAsked, second.wasAsked], [true, true])
    assert.equal(second.redirect.protocol, 'com.example.app:')
  })

  it('with prompt=none never asks: it says what is missing', async ({ service, ann, shop }) => {
    const silent = { prompt: 'none' }

    const signedOut = await visit(stranger(service), shop, silent)
    const unasked = await visit(ann, shop, silent)
    await codeFor(ann, shop)
    const agreed = await visit(ann, shop, silent)
    service.clock.advance({ minutes: 10 })
    const tooOld = await visit(ann, shop, { ...silent, max_age: '300' })
    const mixed = await visit(ann, shop, { prompt: 'none login' })

    const errors = [signedOut, unasked, tooOld, mixed].map((answer) => answer?.get('error'))
    assert.deepEqual(errors, ['login_required', 'consent_required', 'login_required', 'invalid_request'])
    assert.ok(agreed?.get('code'))
  })

  it('with prompt=login or a short max_age asks for a credential again, and auth_time says when', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { skip_consent: true })
    const confirm = async (changes: Readonly<Record<string, string>>) => {
      const { request_id } = (await begin(ann, shop, changes)).body
      const { body: shown } = await ann.post('/api/oauth/get_authorization', { request_id })
      const early = await decide(ann, request_id)
      service.clock.advance({ seconds: 1 })
      await ann.post('/api/auth/confirm', { password: ann.password })
      const late = await decide(ann, request_id)
      return { shown, early, late }
    }

    service.clock.advance({ minutes: 10 })
    const byPrompt = await confirm({ prompt: 'login' })
    service.clock.advance({ minutes: 10 })
    const byAge = await confirm({ max_age: '300' })
    const fresh = await visit(ann, shop, { max_age: '300' })

    for (const { shown, early, late } of [byPrompt, byAge]) {
      assert.equal(shown.needs_confirmation, true)
      assert.deepEqual(refusal(early), [403, 'SESSION_NOT_FRESH'])
      assert.match(late.body.redirect_to, /code=/)
    }
    assert.ok(fresh?.get('code'))
  })

  it('checklist 114: prompt=login counts the sign-in that was made for the request, once, and none from before', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { skip_consent: true })
    const verifier = newVerifier()
    const query = new URLSearchParams(queryFor(shop, verifier, { prompt: 'login' }))
    const come = async () => (await ann.get(`/oauth/authorize?${query}`)).headers.get('location')
    const later = (seconds: number) => service.clock.advance({ seconds })

    later(1)
    const justBefore = await come()
    await ann.post('/api/auth/sign-out')
    const signedOut = await come()
    later(300)
    await ann.signIn()
    const signedInAt = Math.floor(service.clock.now() / 1000)
    later(5)
    const other = await visit(ann, shop, { prompt: 'login', state: 'another' })
    await ann.post('/api/auth/sign-out')
    await come()
    later(1)
    await ann.signIn()
    const back = new URL((await come()) ?? assert.fail('no way back'))
    const code = back.searchParams.get('code') ?? ''
    const redeemed = await redeemFor(ann, shop, { code, verifier })
    const again = await come()
    later(601)
    const forged = `${service.clock.now() - 900_000}.${'A'.repeat(43)}`
    ann.cookies.set('authorize', forged)
    const byForgery = await come()

    assert.deepEqual([justBefore, signedOut, other, again, byForgery], [null, null, undefined, null, null])
    const { auth_time } = decodeJwt(redeemed.body.id_token ?? '')
    assert.equal(auth_time, signedInAt + 6)
  })

  it('checklist 114: max_age is counted from the sign-in to the arrival, and a longer one asks nobody', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { skip_consent: true })

    service.clock.advance({ seconds: 2 })
    const none = await visit(ann, shop, { max_age: '0' })
    const short = await visit(ann, shop, { max_age: '1' })
    const exact = await visit(ann, shop, { max_age: '2' })
    const silent = await visit(ann, shop, { max_age: '1', prompt: 'none' })

    assert.deepEqual([none, short], [undefined, undefined])
    assert.ok(exact?.get('code'))
    assert.equal(silent?.get('error'), 'login_required')
  })

  it('checklist 114: with prompt=login only asks for a credential where the user has agreed before', async ({
    service,
    ann,
    shop,
  }) => {
    await codeFor(ann, shop)
    const again = async () => {
      const { request_id } = (await begin(ann, shop, { prompt: 'login' })).body
      const { body: shown } = await ann.post('/api/oauth/get_authorization', { request_id })
      service.clock.advance({ seconds: 1 })
      return { request_id, needed: [shown.needs_confirmation, shown.needs_consent] }
    }
    const confirmed = () => ann.post('/api/auth/confirm', { password: ann.password })

    const agreed = await again()
    const early = await decide(ann, agreed.request_id)
    await confirmed()
    const late = await decide(ann, agreed.request_id)
    const withdrawn = await again()
    const { items } = (await ann.post('/api/list_grants')).body
    for (const { id } of items) await ann.post('/api/revoke_grant', { id })
    await tokensFor(ann, shop, { prompt: 'consent' })
    const [{ id }] = (await ann.post('/api/list_grants')).body.items
    await ann.post('/api/revoke_grant', { id })
    await confirmed()
    const refused = await decide(ann, withdrawn.request_id)
    const asked = await again()

    assert.deepEqual(
      [agreed.needed, asked.needed],
      [
        [true, false],
        [true, true],
      ],
    )
    assert.deepEqual(refusal(early), [403, 'SESSION_NOT_FRESH'])
    assert.match(late.body.redirect_to, /code=/)
    assert.equal(refused.status, 404)
  })

  it('says who asks, and that a client or address is unknown, before anybody signs in', async ({ service, shop }) => {
    const nobody = stranger(service)
    const describe = (changes: object) =>
      nobody.post('/api/oauth/describe_client', {
        ...{ client_id: shop.client_id, redirect_uri: CALLBACK },
        ...changes,
      })

    const known = await describe({})
    const unknown = [
      await describe({ client_id: 'another' }),
      await describe({ redirect_uri: 'https://evil.example/' }),
      await describe({ redirect_uri: undefined }),
    ]

    assert.deepEqual(known.body, { client_name: 'Shop', client_logo_url: null, kind: 'application' })
    for (const answer of unknown) assert.deepEqual(refusal(answer), [400, 'INVALID_REQUEST'])
  })

  it('takes a form like a query', async ({ ann, shop }) => {
    const body = new URLSearchParams(queryFor(shop, newVerifier()))
    const { status, headers } = await ann.send('/oauth/authorize', { method: 'POST', body })

    assert.equal(status, 302)
    assert.match(headers.get('location') ?? '', /^\/oauth\/authorize\?client_id=/)
  })

  it('gives nothing to a user whom the gate keeps out', async ({ administrator, ann }) => {
    const shop = await register(administrator, { skip_consent: true })
    await administrator.saveSettings('authentication', { beta_gate_enabled: true })

    const silent = await visit(ann, shop, { prompt: 'none' })
    const decided = await decide(ann, (await begin(ann, shop)).body.request_id)

    assert.equal(silent?.get('error'), 'interaction_required')
    assert.deepEqual(refusal(decided), [403, 'BETA_CODE_REQUIRED'])
  })

  it('gives no identity token for what a user approved or got before the gate was closed', async ({
    administrator,
    ann,
  }) => {
    const scope = 'openid offline_access'
    const shop = await register(administrator, { scopes: scope.split(' ') })
    const { refresh_token } = await tokensFor(ann, shop, { scope })
    const given = await codeFor(ann, shop, { scope })
    await administrator.saveSettings('authentication', { beta_gate_enabled: true })

    const redeemed = await redeemFor(ann, shop, given)
    const refreshed = await refreshFor(ann, shop, refresh_token)
    const { body } = await administrator.post('/api/admin/generate_beta_codes', { count: 1 })
    await ann.post('/api/bind_beta_code', { beta_code: body.codes[0] })
    const invited = await refreshFor(ann, shop, refreshed.body.refresh_token)

    for (const [{ status, body }, hasToken] of [
      [redeemed, false],
      [refreshed, false],
      [invited, true],
    ] as const)
      assert.deepEqual([status, 'id_token' in body], [200, hasToken])
  })

  it('gives nothing to a user who lacks a required second factor, and earlier tokens stop working', async ({
    service,
    administrator,
    ann,
  }) => {
    const shop = await register(administrator, { skip_consent: true })
    const { access_token } = await tokensFor(ann, shop)
    await changeSettings(service, 'authentication', { second_factor: 'required' })

    const silent = await visit(ann, shop, { prompt: 'none' })
    const begun = await begin(ann, shop)
    const info = await ann.get('/api/oauth/userinfo', bearer(access_token))
    const asked = await introspect(ann, shop, access_token)

    assert.equal(silent?.get('error'), 'interaction_required')
    assert.deepEqual(refusal(begun), [403, 'SECOND_FACTOR_REQUIRED'])
    assert.deepEqual(oauthError(info), [403, 'insufficient_scope'])
    assert.deepEqual(asked.body, { active: false })
  })
})
