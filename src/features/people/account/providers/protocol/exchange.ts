import * as oauth from 'oauth4webapi'
import { ZodError, z } from 'zod'
import { Refusal } from '../../../../../rules/refusal.ts'
import type { PlainPreset, Profile } from '../../../../ground/provider-presets/preset.ts'
import type { Connection } from './connection.ts'
import { openIdProfile, sendable } from './openid.ts'

/** Values that are kept from the beginning of a flow to its end. */
export interface Proofs {
  readonly state: string
  readonly verifier: string
  readonly nonce: string
}

/** The authorization address. Always uses PKCE; has a nonce if there will be an ID token. */
export async function authorizationAddress(connection: Connection, proofs: Proofs): Promise<string> {
  const { server, preset, client, redirectUri } = connection
  if (!server.authorization_endpoint) throw new Refusal('PROVIDER_ERROR', 'The provider has no sign-in page.')
  const address = new URL(server.authorization_endpoint)
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    ...(preset.scope && { scope: preset.scope }),
    state: proofs.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(proofs.verifier),
    code_challenge_method: 'S256',
    ...(preset.kind === 'openid' && { nonce: proofs.nonce }),
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return address.href
}

/** Returns the profile of the user whom the provider's response identifies. */
export async function readProfile(connection: Connection, answer: URLSearchParams, proofs: Proofs): Promise<Profile> {
  const { server, preset, client, authentication, redirectUri, request } = connection
  try {
    const accepted = oauth.validateAuthResponse(server, client, answer, proofs.state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      accepted,
      redirectUri,
      proofs.verifier,
      request,
    )
    return preset.kind === 'openid'
      ? await openIdProfile(connection, preset, response, proofs.nonce)
      : await plainProfile(connection, preset, response)
  } catch (error) {
    throw refusalOf(error)
  }
}

async function plainProfile(connection: Connection, preset: PlainPreset, response: Response) {
  const { server, client, request } = connection
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response)
  return preset.profile(async (address) => {
    const url = new URL(address)
    const headers = new Headers({ accept: 'application/json' })
    const answer = await oauth.protectedResourceRequest(
      sendable(tokens.access_token),
      'GET',
      url,
      headers,
      null,
      request,
    )
    if (!answer.ok) throw new Refusal('PROVIDER_ERROR', `The provider answered ${answer.status}.`)
    return answer.json()
  })
}

/** The causes of the library's errors contain tokens and codes, so only the messages are kept. */
function refusalOf(error: unknown): unknown {
  if (error instanceof oauth.AuthorizationResponseError) return refusalNamed(error.error)
  if (refusesClient(error)) return misconfigured()
  const isAnswer =
    error instanceof oauth.ResponseBodyError ||
    error instanceof oauth.WWWAuthenticateChallengeError ||
    error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.UnsupportedOperationError ||
    error instanceof SyntaxError ||
    error instanceof ZodError
  return isAnswer ? new Refusal('PROVIDER_ERROR', error.message) : error
}

/** The errors of RFC 6749, section 5.2, and the one that GitHub sends instead, with status 200. */
const CLIENT_ERRORS = ['invalid_client', 'unauthorized_client', 'incorrect_client_credentials']

const GitHubError = z.object({ body: z.object({ error: z.string() }) })

/** True for a wrong client ID or secret, which only the administrator can fix. */
function refusesClient(error: unknown): boolean {
  if (error instanceof oauth.ResponseBodyError) return CLIENT_ERRORS.includes(error.error)
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    return error.cause.some(({ scheme }) => scheme === 'basic')
  }
  if (!(error instanceof oauth.OperationProcessingError)) return false
  const { data } = GitHubError.safeParse(error.cause)
  return data !== undefined && CLIENT_ERRORS.includes(data.body.error)
}

function misconfigured(): Refusal {
  return new Refusal('PROVIDER_MISCONFIGURED', 'The provider refuses our client ID or client secret.')
}

function refusalNamed(error: string): Refusal {
  if (error === 'access_denied') return new Refusal('ACCESS_DENIED', 'Consent was denied at the provider.')
  if (error === 'redirect_uri_mismatch') {
    return new Refusal('REDIRECT_URI_MISMATCH', 'The provider expects a different callback address.')
  }
  if (CLIENT_ERRORS.includes(error)) return misconfigured()
  if (error === 'temporarily_unavailable' || error === 'server_error') {
    return new Refusal('PROVIDER_UNAVAILABLE', 'The provider cannot sign anybody in right now.')
  }
  return new Refusal('PROVIDER_ERROR', 'The provider refused the sign-in.')
}
