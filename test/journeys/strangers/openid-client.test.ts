import assert from 'node:assert/strict'
import * as openid from 'openid-client'
import { describe } from 'vitest'
import type { Listening } from '../../processes/listening.ts'
import { CALLBACK, type Registered, register } from '../../service/applications.ts'
import type { Person } from '../../service/people.ts'
import { it } from '../../service/today.ts'

// As docs/integrate.md has it: a certified client of OpenID Connect that knows an address, a client id and a secret.
describe('an application built on openid-client', () => {
  it('signs a user in, reads the profile, refreshes, introspects a token and revokes it', async ({
    server,
    administrator,
    ann,
  }) => {
    const scopes = ['openid', 'profile', 'email', 'offline_access']
    const shop = await configured(server, await register(administrator, { skip_consent: true, scopes }))

    const tokens = await signIn(shop, ann, scopes.join(' '))
    const info = await openid.fetchUserInfo(shop, tokens.access_token, ann.id)
    const refreshed = await openid.refreshTokenGrant(shop, tokens.refresh_token ?? '')
    const living = await openid.tokenIntrospection(shop, refreshed.access_token)
    await openid.tokenRevocation(shop, refreshed.access_token)
    const dead = await openid.tokenIntrospection(shop, refreshed.access_token)

    assert.deepEqual([tokens.claims()?.sub, info.email], [ann.id, ann.email])
    assert.notEqual(refreshed.refresh_token, tokens.refresh_token)
    assert.deepEqual([living.active, living.sub, dead.active], [true, ann.id, false])
    await assert.rejects(openid.refreshTokenGrant(shop, refreshed.refresh_token ?? ''), {
      error: 'invalid_grant',
    })
  })

  it('gets the reason for a refusal in the terms of the standard', async ({ server, administrator, ann }) => {
    const shop = await register(administrator, { skip_consent: true })
    const impostor = await configured(server, { ...shop, client_secret: 'gh-not-its-secret' })
    const own = await configured(server, shop)
    const otherVerifier = openid.randomPKCECodeVerifier()

    for (const [application, wrong, refusal] of [
      [impostor, {}, { error: 'invalid_client' }],
      [own, { nonce: 'another' }, { code: 'OAUTH_JWT_CLAIM_COMPARISON_FAILED' }],
      [own, { codeVerifier: otherVerifier }, { error: 'invalid_grant' }],
    ] as const)
      await assert.rejects(signIn(application, ann, 'openid', wrong), refusal)
  })

  it('gets a token of its own as a service', async ({ server, administrator }) => {
    const scopes = ['admin:users:read']
    const worker = await configured(server, await register(administrator, { kind: 'service', scopes }))

    const { access_token, scope } = await openid.clientCredentialsGrant(worker, { scope: scopes.join(' ') })

    const address = new URL(`${server.url}/api/admin/list_users`)
    const json = new Headers({ 'content-type': 'application/json' })
    const listed = await openid.fetchProtectedResource(worker, access_token, address, 'POST', '{}', json)
    assert.deepEqual([scope, listed.status], ['admin:users:read', 200])
  })
})

function configured({ url }: Listening, { client_id, client_secret = '' }: Registered) {
  const overHttp = { execute: [openid.allowInsecureRequests] }
  return openid.discovery(new URL(url), client_id, client_secret, undefined, overHttp)
}

/** In the user's browser and back; `wrong` is what the application expects by mistake. */
async function signIn(
  application: openid.Configuration,
  person: Person,
  scope: string,
  wrong: { readonly nonce?: string; readonly codeVerifier?: string } = {},
) {
  const codeVerifier = openid.randomPKCECodeVerifier()
  const [state, nonce] = [openid.randomState(), openid.randomNonce()]
  const asked = openid.buildAuthorizationUrl(application, {
    redirect_uri: CALLBACK,
    ...{ scope, state, nonce },
    code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  })
  const { headers } = await person.get(asked.pathname + asked.search)
  return openid.authorizationCodeGrant(application, new URL(headers.get('location') ?? ''), {
    pkceCodeVerifier: wrong.codeVerifier ?? codeVerifier,
    expectedState: state,
    expectedNonce: wrong.nonce ?? nonce,
    idTokenExpected: true,
  })
}
