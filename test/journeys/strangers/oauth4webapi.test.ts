import assert from 'node:assert/strict'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { describe } from 'vitest'
import type { Listening } from '../../processes/listening.ts'
import { CALLBACK, type Registered, register } from '../../service/applications.ts'
import { decideDevice, REDIRECT } from '../../service/grants.ts'
import type { Person } from '../../service/people.ts'
import { it } from '../../service/today.ts'

const overHttp = { [oauth.allowInsecureRequests]: true }
const SCOPE = 'operations:notifications:read api_access offline_access'

// Certified protocol code that others wrote, used step by step as careful programs would, and that knows an address.
describe('a command-line client on oauth4webapi', () => {
  it('discovers, connects with a code, calls, refreshes and disconnects', async ({ server, ann }) => {
    const tool = await Program.discovered(server, { client_id: 'cli-client' })

    const tokens = await tool.connect(ann)
    const listed = await tool.call('/api/list_notifications', tokens.access_token)
    const refreshed = await tool.refresh(tokens.refresh_token)
    await tool.revoke(refreshed.access_token)

    assert.deepEqual([listed.status, tokens.scope], [200, SCOPE])
    assert.notEqual(refreshed.refresh_token, tokens.refresh_token)
    await assert.rejects(
      tool.call('/api/list_notifications', refreshed.access_token),
      challenged(401, { error: 'invalid_token' }),
    )
    await assert.rejects(tool.refresh(refreshed.refresh_token), { error: 'invalid_grant' })
  })

  it('connects as a device', async ({ server, ann }) => {
    const tool = await Program.discovered(server, { client_id: 'cli-client' })

    const device = await tool.startDevice()
    await assert.rejects(tool.poll(device), { error: 'authorization_pending' })
    await assert.rejects(tool.poll(device), { error: 'slow_down' })
    await decideDevice(ann, device.user_code, true)
    const tokens = await tool.poll(device)

    assert.equal(device.verification_uri, `${server.url}/oauth/authorize`)
    assert.equal((await tool.call('/api/list_notifications', tokens.access_token)).status, 200)
    await assert.rejects(tool.poll(device), { error: 'invalid_grant' })
  })

  it('gets the reason for a refusal in the RFC’s terms, and learns from the redirect that the user denied', async ({
    server,
    ann,
  }) => {
    const tool = await Program.discovered(server, { client_id: 'cli-client' })
    const stranger = await Program.discovered(server, { client_id: 'a-stranger' })
    const { access_token, refresh_token } = await tool.connect(ann)

    await assert.rejects(stranger.refresh(refresh_token), { error: 'invalid_client', status: 401 })
    await assert.rejects(tool.refresh(refresh_token, 'admin:users:read'), {
      error: 'invalid_scope',
      status: 400,
    })
    await assert.rejects(
      tool.call('/api/submit_feedback', access_token),
      challenged(403, { error: 'insufficient_scope', scope: 'operations:feedback:write' }),
    )
    await assert.rejects(tool.connect(ann, false), { error: 'access_denied' })
  })
})

describe('an application on oauth4webapi', () => {
  it.for(['EdDSA', 'RS256'])(
    'discovers, signs a user in with %s, checks every answer, refreshes, revokes',
    async (algorithm, { server, administrator, ann }) => {
      const scopes = ['openid', 'email', 'offline_access']
      const fields = { skip_consent: true, scopes, id_token_algorithm: algorithm }
      const shop = await Program.discovered(server, await register(administrator, fields), algorithm)

      const signedIn = await shop.signIn(ann, scopes.join(' '))
      const claims = oauth.getValidatedIdTokenClaims(signedIn)
      const info = await shop.userInfo(signedIn.access_token, claims?.sub ?? '')
      const refreshed = await shop.refresh(signedIn.refresh_token)
      const living = await shop.introspect(refreshed.access_token)
      await shop.revoke(refreshed.refresh_token ?? '')
      const dead = await shop.introspect(refreshed.access_token)

      assert.deepEqual([claims?.sub, info.email], [ann.id, ann.email])
      assert.deepEqual([living.active, living.client_id, dead.active], [true, shop.client.client_id, false])
    },
  )

  it('detects a redirect from another issuer, and one with a foreign state', async ({
    server,
    administrator,
    ann,
  }) => {
    const shop = await Program.discovered(server, await register(administrator, { skip_consent: true }))
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
  it('checks signed tokens by the published keys, and refuses what is not for it or has been changed', async ({
    server: { url },
    ann,
  }) => {
    const keys = createRemoteJWKSet(new URL(`${url}/api/auth/jwks`))
    const { token } = (await ann.get('/api/auth/token')).body
    const [head = '', body = '', tail = ''] = token.split('.')
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`
    const ours = { issuer: url, audience: url }

    const { payload, protectedHeader } = await jwtVerify(token, keys, ours)

    assert.deepEqual([payload.sub, protectedHeader.alg], [ann.id, 'EdDSA'])
    await assert.rejects(jwtVerify(`${head}.${body}.${tail.split('').reverse().join('')}`, keys, ours))
    await assert.rejects(jwtVerify(unsigned, keys, ours))
    const forShop = { ...ours, audience: 'shop' }
    await assert.rejects(jwtVerify(token, keys, forShop), errors.JWTClaimValidationFailed)
  })
})

/** Public if it has no secret. */
class Program {
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly #auth: oauth.ClientAuth

  constructor(server: oauth.AuthorizationServer, client: oauth.Client, auth: oauth.ClientAuth) {
    this.server = server
    this.client = client
    this.#auth = auth
  }

  static async discovered(
    { url }: Listening,
    { client_id, client_secret }: Omit<Registered, 'id'>,
    id_token_signed_response_alg = 'EdDSA',
  ): Promise<Program> {
    const issuer = new URL(url)
    const isPublic = client_secret === undefined
    const algorithm = isPublic ? 'oauth2' : 'oidc'
    const answer = await oauth.discoveryRequest(issuer, { ...overHttp, algorithm })
    const server = await oauth.processDiscoveryResponse(issuer, answer)
    assert.deepEqual(server.code_challenge_methods_supported, ['S256'])
    assert.equal(server.authorization_response_iss_parameter_supported, true)
    const auth = isPublic ? oauth.None() : oauth.ClientSecretBasic(client_secret)
    return new Program(server, { client_id, id_token_signed_response_alg }, auth)
  }

  /** As the pages in the browser decide on the request of a command-line client. */
  async connect(person: Person, approve = true) {
    const { verifier, state, query } = await this.#request(REDIRECT, SCOPE)
    const host = new URL(this.server.issuer).host
    const begun = await person.post('/api/oauth/begin_authorization', query, { host })
    const decision = { request_id: begun.body.request_id, approve }
    const { body } = await person.post('/api/oauth/decide_authorization', decision, { host })
    const answer = await this.#redeem(new URL(body.redirect_to), state, REDIRECT, verifier)
    return oauth.processAuthorizationCodeResponse(this.server, this.client, answer)
  }

  /** In the user's browser, up to the redirect. */
  async authorize(person: Person, scope: string) {
    const { verifier, state, query } = await this.#request(CALLBACK, scope)
    const nonce = oauth.generateRandomNonce()
    const { pathname } = new URL(this.server.authorization_endpoint ?? '')
    const { headers } = await person.get(`${pathname}?${new URLSearchParams({ ...query, nonce })}`)
    return { redirect: new URL(headers.get('location') ?? ''), verifier, state, nonce }
  }

  async signIn(person: Person, scope: string) {
    const { redirect, verifier, state, nonce } = await this.authorize(person, scope)
    const answer = await this.#redeem(redirect, state, CALLBACK, verifier)
    const expected = { expectedNonce: nonce, requireIdToken: true }
    const tokens = await oauth.processAuthorizationCodeResponse(this.server, this.client, answer, expected)
    await oauth.validateApplicationLevelSignature(this.server, answer, overHttp)
    return tokens
  }

  async userInfo(token: string, subject: string) {
    const answer = await oauth.userInfoRequest(this.server, this.client, token, overHttp)
    return oauth.processUserInfoResponse(this.server, this.client, subject, answer)
  }

  async refresh(token = '', scope?: string) {
    const options = { ...overHttp, ...(scope !== undefined && { additionalParameters: { scope } }) }
    const answer = await oauth.refreshTokenGrantRequest(this.server, this.client, this.#auth, token, options)
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

  async startDevice() {
    const { server, client } = this
    const scope = { scope: SCOPE }
    const answer = await oauth.deviceAuthorizationRequest(server, client, this.#auth, scope, overHttp)
    return oauth.processDeviceAuthorizationResponse(server, client, answer)
  }

  async poll({ device_code }: oauth.DeviceAuthorizationResponse) {
    const { server, client } = this
    const answer = await oauth.deviceCodeGrantRequest(server, client, this.#auth, device_code, overHttp)
    return oauth.processDeviceCodeResponse(server, client, answer)
  }

  call(path: string, token: string): Promise<Response> {
    const json = new Headers({ 'content-type': 'application/json' })
    const address = new URL(path, this.server.issuer)
    return oauth.protectedResourceRequest(token, 'POST', address, json, '{}', overHttp)
  }

  async #request(redirect_uri: string, scope: string) {
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const query = {
      client_id: this.client.client_id,
      response_type: 'code',
      ...{ redirect_uri, scope, state },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    return { verifier, state, query }
  }

  #redeem(redirect: URL, state: string, redirectUri: string, verifier: string): Promise<Response> {
    const { server, client } = this
    const sound = oauth.validateAuthResponse(server, client, redirect, state)
    return oauth.authorizationCodeGrantRequest(
      ...([server, client, this.#auth, sound, redirectUri, verifier, overHttp] as const),
    )
  }
}

/** Whether the library's own reader of `WWW-Authenticate` finds this in a refusal. */
function challenged(status: number, parameters: Readonly<Record<string, string>>) {
  return (error: unknown) => {
    assert.ok(error instanceof oauth.WWWAuthenticateChallengeError)
    assert.equal(error.status, status)
    assert.deepEqual(error.cause, [{ scheme: 'bearer', parameters: { realm: 'gatehouse', ...parameters } }])
    return true
  }
}
