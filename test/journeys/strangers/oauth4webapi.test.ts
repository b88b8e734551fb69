import assert from 'node:assert/strict'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { describe, it } from '../../running/node-test.ts'
import { CALLBACK, type Registered, register } from '../../service/applications.ts'
import type { Person } from '../../service/people.ts'
import { serviceOfToday } from '../../service/today.ts'

const overHttp = { [oauth.allowInsecureRequests]: true }

// Certified protocol code that others wrote, used step by step as a careful application would.
describe('an application on oauth4webapi', () => {
  for (const algorithm of ['EdDSA', 'RS256'] as const)
    it(`discovers, signs a user in with ${algorithm}, checks every answer, refreshes, revokes`, async () => {
      await using gatehouse = await serviceOfToday()
      const { administrator, ann, url } = gatehouse
      const scopes = ['openid', 'email', 'offline_access']
      const fields = { skip_consent: true, scopes, id_token_algorithm: algorithm }
      const shop = await Application.discovered(url, await register(administrator, fields), algorithm)

      const signedIn = await shop.signIn(ann, scopes.join(' '))
      const claims = oauth.getValidatedIdTokenClaims(signedIn)
      const info = await shop.userInfo(signedIn.access_token, claims?.sub ?? '')
      const refreshed = await shop.refresh(signedIn.refresh_token ?? '')
      const living = await shop.introspect(refreshed.access_token)
      await shop.revoke(refreshed.refresh_token ?? '')
      const dead = await shop.introspect(refreshed.access_token)

      assert.deepEqual([claims?.sub, info.email], [ann.id, ann.email])
      assert.deepEqual([living.active, living.client_id, dead.active], [true, shop.client.client_id, false])
    })

  it('detects a redirect from another issuer, and one with a foreign state', async () => {
    await using gatehouse = await serviceOfToday()
    const { administrator, ann, url } = gatehouse
    const shop = await Application.discovered(url, await register(administrator, { skip_consent: true }))
    const { redirect, state } = await shop.authorize(ann, 'openid')
    const mixedUp = new URL(redirect)
    mixedUp.searchParams.set('iss', 'https://evil.example')
    const without = new URL(redirect)
    without.searchParams.delete('iss')

    assert.ok(oauth.validateAuthResponse(shop.server, shop.client, redirect, state))
    for (const wrong of [mixedUp, without])
      assert.throws(() => oauth.validateAuthResponse(shop.server, shop.client, wrong, state))
    assert.throws(() => oauth.validateAuthResponse(shop.server, shop.client, redirect, 'another state'))
  })
})

describe('a back end on jose', () => {
  it('checks signed tokens by the published keys, and refuses what is not for it or has been changed', async () => {
    await using gatehouse = await serviceOfToday()
    const { ann, url } = gatehouse
    const keys = createRemoteJWKSet(new URL(`${url}/api/auth/jwks`))
    const { token } = (await ann.get('/api/auth/token')).body
    const [head = '', body = '', tail = ''] = token.split('.')
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`
    const ours = { issuer: url, audience: url }

    const { payload, protectedHeader } = await jwtVerify(token, keys, ours)

    assert.deepEqual([payload.sub, protectedHeader.alg], [ann.id, 'EdDSA'])
    await assert.rejects(jwtVerify(`${head}.${body}.${tail.split('').reverse().join('')}`, keys, ours))
    await assert.rejects(jwtVerify(unsigned, keys, ours))
    await assert.rejects(
      jwtVerify(token, keys, { ...ours, audience: 'shop' }),
      errors.JWTClaimValidationFailed,
    )
  })
})

class Application {
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly #auth: oauth.ClientAuth

  constructor(server: oauth.AuthorizationServer, client: oauth.Client, secret: string) {
    this.server = server
    this.client = client
    this.#auth = oauth.ClientSecretBasic(secret)
  }

  static async discovered(
    url: string,
    { client_id, client_secret = '' }: Registered,
    algorithm = 'EdDSA',
  ): Promise<Application> {
    const issuer = new URL(url)
    const answer = await oauth.discoveryRequest(issuer, overHttp)
    const server = await oauth.processDiscoveryResponse(issuer, answer)
    return new Application(server, { client_id, id_token_signed_response_alg: algorithm }, client_secret)
  }

  /** In the user's browser, up to the redirect. */
  async authorize(person: Person, scope: string) {
    const verifier = oauth.generateRandomCodeVerifier()
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const asked = new URLSearchParams({
      client_id: this.client.client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      ...{ scope, state, nonce },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const { pathname } = new URL(this.server.authorization_endpoint ?? '')
    const { headers } = await person.get(`${pathname}?${asked}`)
    return { redirect: new URL(headers.get('location') ?? ''), verifier, state, nonce }
  }

  async signIn(person: Person, scope: string) {
    const { redirect, verifier, state, nonce } = await this.authorize(person, scope)
    const { server, client } = this
    const sound = oauth.validateAuthResponse(server, client, redirect, state)
    const answer = await oauth.authorizationCodeGrantRequest(
      ...([server, client, this.#auth, sound, CALLBACK, verifier, overHttp] as const),
    )
    const expected = { expectedNonce: nonce, requireIdToken: true }
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, expected)
    await oauth.validateApplicationLevelSignature(server, answer, overHttp)
    return tokens
  }

  async userInfo(token: string, subject: string) {
    const answer = await oauth.userInfoRequest(this.server, this.client, token, overHttp)
    return oauth.processUserInfoResponse(this.server, this.client, subject, answer)
  }

  async refresh(token: string) {
    const answer = await oauth.refreshTokenGrantRequest(this.server, this.client, this.#auth, token, overHttp)
    return oauth.processRefreshTokenResponse(this.server, this.client, answer)
  }

  async introspect(token: string) {
    const answer = await oauth.introspectionRequest(this.server, this.client, this.#auth, token, overHttp)
    return oauth.processIntrospectionResponse(this.server, this.client, answer)
  }

  async revoke(token: string) {
    const answer = await oauth.revocationRequest(this.server, this.client, this.#auth, token, overHttp)
    return oauth.processRevocationResponse(answer)
  }
}
