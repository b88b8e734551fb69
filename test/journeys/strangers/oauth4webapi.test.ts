import assert from 'node:assert/strict'
import * as oauth from 'oauth4webapi'
import { describe } from 'vitest'
import type { Listening } from '../../processes/listening.ts'
import { decideDevice, REDIRECT } from '../../service/grants.ts'
import type { Person } from '../../service/people.ts'
import { it } from '../../service/today.ts'

const overHttp = { [oauth.allowInsecureRequests]: true }
const SCOPE = 'operations:notifications:read api_access offline_access'
const AUTH = oauth.None()

// Certified protocol code that others wrote, used step by step as by a careful program that knows nothing but an
// address.
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

class Program {
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client

  constructor(server: oauth.AuthorizationServer, client: oauth.Client) {
    this.server = server
    this.client = client
  }

  static async discovered({ url }: Listening, client: oauth.Client): Promise<Program> {
    const issuer = new URL(url)
    const answer = await oauth.discoveryRequest(issuer, { ...overHttp, algorithm: 'oauth2' })
    const server = await oauth.processDiscoveryResponse(issuer, answer)
    assert.deepEqual(server.code_challenge_methods_supported, ['S256'])
    assert.equal(server.authorization_response_iss_parameter_supported, true)
    return new Program(server, client)
  }

  /** Decides as the pages in the browser do on the request of a command-line client. */
  async connect(person: Person, approve = true) {
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const { server, client } = this
    const query = {
      client_id: client.client_id,
      response_type: 'code',
      ...{ redirect_uri: REDIRECT, scope: SCOPE, state },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    const host = new URL(server.issuer).host
    const begun = await person.post('/api/oauth/begin_authorization', query, { host })
    const decision = { request_id: begun.body.request_id, approve }
    const { body } = await person.post('/api/oauth/decide_authorization', decision, { host })
    const sound = oauth.validateAuthResponse(server, client, new URL(body.redirect_to), state)
    const answer = await oauth.authorizationCodeGrantRequest(
      ...([server, client, AUTH, sound, REDIRECT, verifier, overHttp] as const),
    )
    return oauth.processAuthorizationCodeResponse(server, client, answer)
  }

  async refresh(token = '', scope?: string) {
    const options = { ...overHttp, ...(scope !== undefined && { additionalParameters: { scope } }) }
    const answer = await oauth.refreshTokenGrantRequest(this.server, this.client, AUTH, token, options)
    return oauth.processRefreshTokenResponse(this.server, this.client, answer)
  }

  async revoke(token: string) {
    const answer = await oauth.revocationRequest(this.server, this.client, AUTH, token, overHttp)
    return oauth.processRevocationResponse(answer)
  }

  async startDevice() {
    const { server, client } = this
    const scope = { scope: SCOPE }
    const answer = await oauth.deviceAuthorizationRequest(server, client, AUTH, scope, overHttp)
    return oauth.processDeviceAuthorizationResponse(server, client, answer)
  }

  async poll({ device_code }: oauth.DeviceAuthorizationResponse) {
    const { server, client } = this
    const answer = await oauth.deviceCodeGrantRequest(server, client, AUTH, device_code, overHttp)
    return oauth.processDeviceCodeResponse(server, client, answer)
  }

  call(path: string, token: string): Promise<Response> {
    const json = new Headers({ 'content-type': 'application/json' })
    const address = new URL(path, this.server.issuer)
    return oauth.protectedResourceRequest(token, 'POST', address, json, '{}', overHttp)
  }
}

/** True if the library's own reader of `WWW-Authenticate` finds this in a refusal. */
function challenged(status: number, parameters: Readonly<Record<string, string>>) {
  return (error: unknown) => {
    assert.ok(error instanceof oauth.WWWAuthenticateChallengeError)
    assert.equal(error.status, status)
    assert.deepEqual(error.cause, [{ scheme: 'bearer', parameters: { realm: 'gatehouse', ...parameters } }])
    return true
  }
}
