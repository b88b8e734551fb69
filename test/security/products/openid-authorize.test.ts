import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { oauthError, refusal } from '../../service/answers.ts'
import { bearer, codeFor, queryFor, register, tokensFor } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { newVerifier } from '../../service/grants.ts'
import { stranger } from '../../service/people.ts'
import {
  begin,
  decide,
  introspect,
  it,
  redeemFor,
  refreshFor,
  visit as visitFor,
} from '../../service/shop.ts'

/** What the application gets in the redirect; undefined if there is none. */
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
