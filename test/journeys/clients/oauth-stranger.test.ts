import assert from 'node:assert/strict'
import * as oauth from 'oauth4webapi'
import { describe } from 'vitest'
import { type Listening, listening } from '../../processes/listening.ts'
import { decideDevice } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import { type Person, people } from '../../service/people.ts'

// A certified client that knows nothing of this service but its address.
const client: oauth.Client = { client_id: 'cli-client' }
const noSecret = oauth.None()
const overHttp = { [oauth.allowInsecureRequests]: true }
const REDIRECT = 'http://127.0.0.1:49152/callback'
const SCOPE = 'operations:notifications:read api_access offline_access'

describe('a client that others wrote', () => {
  it('discovers, connects with a code, calls, refreshes and disconnects', async ({ service }) => {
    await using server = await listening(service)
    const { ann } = await people({ ...service, request: server.request })
    const as = await discover(server)

    const tokens = await connectWithCode(as, server, ann)
    const listed = await listNotifications(server, tokens.access_token)
    const refreshed = await refresh(as, tokens)
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, client, noSecret, refreshed.access_token, overHttp),
    )

    assert.equal(listed.status, 200)
    assert.equal(tokens.scope, SCOPE)
    assert.notEqual(refreshed.refresh_token, tokens.refresh_token)
    await assert.rejects(
      listNotifications(server, refreshed.access_token),
      challenged(401, { error: 'invalid_token' }),
    )
    await assert.rejects(refresh(as, refreshed), { error: 'invalid_grant' })
  })

  it('connects as a device', async ({ service }) => {
    await using server = await listening(service)
    const { ann } = await people({ ...service, request: server.request })
    const as = await discover(server)

    const device = await oauth.processDeviceAuthorizationResponse(
      as,
      client,
      await oauth.deviceAuthorizationRequest(as, client, noSecret, { scope: SCOPE }, overHttp),
    )
    await assert.rejects(pollOnce(as, device), { error: 'authorization_pending' })
    await assert.rejects(pollOnce(as, device), { error: 'slow_down' })
    await decideDevice(ann, device.user_code, true)
    const tokens = await pollOnce(as, device)

    assert.equal(device.verification_uri, `${server.url}/oauth/authorize`)
    assert.equal((await listNotifications(server, tokens.access_token)).status, 200)
    await assert.rejects(pollOnce(as, device), { error: 'invalid_grant' })
  })

  it('gets the reason for a refusal in the RFC’s terms', async ({ service }) => {
    await using server = await listening(service)
    const { ann } = await people({ ...service, request: server.request })
    const as = await discover(server)
    const stranger = { client_id: 'a-stranger' }
    const tokens = await connectWithCode(as, server, ann)

    const ofStranger = await oauth.refreshTokenGrantRequest(
      as,
      stranger,
      noSecret,
      tokens.refresh_token ?? '',
      overHttp,
    )
    const wider = await oauth.refreshTokenGrantRequest(as, client, noSecret, tokens.refresh_token ?? '', {
      ...overHttp,
      additionalParameters: { scope: 'admin:users:read' },
    })

    await assert.rejects(oauth.processRefreshTokenResponse(as, stranger, ofStranger), {
      error: 'invalid_client',
      status: 401,
    })
    await assert.rejects(oauth.processRefreshTokenResponse(as, client, wider), {
      error: 'invalid_scope',
      status: 400,
    })
    await assert.rejects(
      call(server, '/api/submit_feedback', tokens.access_token),
      challenged(403, { error: 'insufficient_scope', scope: 'operations:feedback:write' }),
    )
  })

  it('learns from the redirect that the user denied', async ({ service }) => {
    await using server = await listening(service)
    const { ann } = await people({ ...service, request: server.request })
    const as = await discover(server)
    const state = oauth.generateRandomState()
    const query = await authorizationQuery(oauth.generateRandomCodeVerifier(), state)

    const redirect = await consent(server, ann, query, false)

    assert.throws(() => oauth.validateAuthResponse(as, client, redirect, state), { error: 'access_denied' })
  })
})

async function discover({ url }: Listening): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(url)
  const response = await oauth.discoveryRequest(issuer, { ...overHttp, algorithm: 'oauth2' })
  const as = await oauth.processDiscoveryResponse(issuer, response)
  assert.deepEqual(as.code_challenge_methods_supported, ['S256'])
  assert.equal(as.authorization_response_iss_parameter_supported, true)
  return as
}

async function connectWithCode(as: oauth.AuthorizationServer, server: Listening, person: Person) {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const redirect = await consent(server, person, await authorizationQuery(verifier, state), true)
  const parameters = oauth.validateAuthResponse(as, client, redirect, state)
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    noSecret,
    parameters,
    REDIRECT,
    verifier,
    overHttp,
  )
  return oauth.processAuthorizationCodeResponse(as, client, response)
}

async function refresh(as: oauth.AuthorizationServer, { refresh_token = '' }: oauth.TokenEndpointResponse) {
  const response = await oauth.refreshTokenGrantRequest(as, client, noSecret, refresh_token, overHttp)
  return oauth.processRefreshTokenResponse(as, client, response)
}

async function pollOnce(as: oauth.AuthorizationServer, { device_code }: oauth.DeviceAuthorizationResponse) {
  const response = await oauth.deviceCodeGrantRequest(as, client, noSecret, device_code, overHttp)
  return oauth.processDeviceCodeResponse(as, client, response)
}

async function authorizationQuery(verifier: string, state: string) {
  return {
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: SCOPE,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
}

/** What the pages in the browser do at the address that the client opened. */
async function consent({ url }: Listening, person: Person, query: object, approve: boolean) {
  const { host } = new URL(url)
  const begun = await person.post('/api/oauth/begin_authorization', query, { host })
  const decision = { request_id: begun.body.request_id, approve }
  const decided = await person.post('/api/oauth/decide_authorization', decision, { host })
  return new URL(decided.body.redirect_to)
}

function listNotifications(server: Listening, accessToken: string): Promise<Response> {
  return call(server, '/api/list_notifications', accessToken)
}

function call(server: Listening, path: string, accessToken: string): Promise<Response> {
  const headers = new Headers({ 'content-type': 'application/json' })
  const address = new URL(path, server.url)
  return oauth.protectedResourceRequest(accessToken, 'POST', address, headers, '{}', overHttp)
}

/** Whether the stranger's own reader of `WWW-Authenticate` finds this in a refusal. */
function challenged(status: number, parameters: Readonly<Record<string, string>>) {
  return (error: unknown) => {
    assert.ok(error instanceof oauth.WWWAuthenticateChallengeError)
    assert.equal(error.status, status)
    assert.deepEqual(error.cause, [{ scheme: 'bearer', parameters: { realm: 'gatehouse', ...parameters } }])
    return true
  }
}
