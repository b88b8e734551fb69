import { Done, Nothing } from '../../../http/requests/body.ts'
import { protectedRoute, publicRoute, sessionRoute } from '../../../http/route.ts'
import { OneById } from '../../../rules/ids.ts'
import { listOf, Page } from '../../../rules/paging.ts'
import { oauthRefusal } from '../../../rules/refusal.ts'
import { cliClient } from '../clients/cli-client.ts'
import type { Client } from '../clients/client.ts'
import { authenticateClient } from '../clients/clients.ts'
import { Description } from '../clients/guests/description.ts'
import { Registered, refuseUnlessOpen, registerClient } from '../clients/guests/guests.ts'
import { byClient } from '../clients/holding.ts'
import { listGrants, listUserGrants } from './grants.ts'
import { letRegistrationsGiveWay } from './guest-statements.ts'
import {
  AuthorizationClient,
  AuthorizationForm,
  AuthorizationRequest,
  BeginAuthorization,
  Begun,
  Decided,
  Decision,
  DescribedClient,
  DeviceAuthorization,
  DeviceCodes,
  Grant,
  RequestId,
  RevokeToken,
  TokenRequest,
  Tokens,
  UserGrant,
  UserGrants,
} from './input.ts'
import { ServerMetadata, serverMetadata } from './metadata.ts'
import { beginAuthorization, describedClient, getClientWithRedirect } from './requests/begin.ts'
import { approveAuthorization, denyAuthorization } from './requests/decisions.ts'
import { describeAuthorization } from './requests/requests.ts'
import { formPage } from './requests/response.ts'
import { revokeByToken, revokeOwnGrant, revokeUserGrant } from './revoking.ts'
import { startDevice } from './tokens/device.ts'
import type { FindByToken } from './tokens/exchange.ts'
import { answerTokenRequest } from './tokens/token-endpoint.ts'

const consentRoutes = [
  sessionRoute({
    method: 'POST',
    path: '/api/oauth/begin_authorization',
    summary: 'Start a request for access, with the parameters of the page',
    // The page sends its whole query, and OAuth says to ignore unknown parameters.
    input: BeginAuthorization.loose(),
    output: Begun,
    limit: 'authorization-requests',
    whileActing: 'reads',
    handle: beginAuthorization,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/oauth/get_authorization',
    summary: 'The client and scopes of a pending request',
    input: RequestId,
    output: AuthorizationRequest,
    handle: (call, { request_id }) => describeAuthorization(call, request_id),
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/oauth/decide_authorization',
    summary: 'Approve or deny a pending request',
    input: Decision,
    output: Decided,
    handle: (call, { request_id, approve, organization_id }) =>
      approve ? approveAuthorization(call, request_id, organization_id) : denyAuthorization(call, request_id),
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/list_grants',
    summary: 'Your connections, newest first',
    input: Page,
    output: listOf(Grant),
    handle: (call, page) => listGrants(call, call.caller.user.id, page, 'connections'),
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/revoke_grant',
    summary: 'End a connection; its tokens stop working at once',
    input: OneById,
    output: Done,
    handle: (call, { id }) => revokeOwnGrant(call, id),
  }),
] as const

const administratorRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_user_grants',
    summary: "A user's connections, newest first",
    scope: 'admin:users:read',
    input: UserGrants,
    output: listOf(Grant),
    handle: (call, { user_id, ...page }) => listUserGrants(call, user_id, page),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/revoke_user_grant',
    summary: "End one of a user's connections; its tokens stop working at once",
    scope: 'admin:users:write',
    input: UserGrant,
    output: Done,
    handle: (call, { user_id, id }) => revokeUserGrant(call, user_id, id),
  }),
] as const

function registrationRoute<const P extends string>(path: P, summary: string) {
  return publicRoute({
    method: 'POST',
    path,
    summary,
    refusals: 'of OAuth',
    before: refuseUnlessOpen,
    input: Description,
    output: Registered,
    handle: (call, description) => registerClient(call, description, letRegistrationsGiveWay),
  })
}

const clientRoutes = [
  publicRoute({
    method: 'POST',
    path: '/api/oauth/describe_client',
    summary: 'Describe the application that asks, for the sign-in page, if its redirect URI is known',
    input: AuthorizationClient,
    output: DescribedClient,
    handle: async (call, asked) => describedClient(await getClientWithRedirect(call, asked)),
  }),
  publicRoute({
    method: 'GET',
    path: '/api/oauth/respond',
    summary: 'The page that sends the response of an authorization request to the client as a form',
    input: AuthorizationForm,
    output: Done,
    described: { mediaType: 'text/html' },
    handle: async (call, { form }) => formPage(call, form),
  }),
  publicRoute({
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    summary: 'Metadata of the authorization server (RFC 8414)',
    input: Nothing,
    output: ServerMetadata,
    handle: ({ platform }) => serverMetadata(platform),
  }),
  registrationRoute('/api/oauth/register', 'Register a public client, if the settings allow it (RFC 7591)'),
  registrationRoute('/register', 'Register a public client, at the address that clients assume without metadata'),
  publicRoute({
    method: 'POST',
    path: '/api/oauth/device_authorization',
    summary: 'Start a connection from a device (RFC 8628)',
    body: 'form',
    input: DeviceAuthorization,
    described: { required: ['scope'], credential: 'of a client' },
    output: DeviceCodes,
    handle: async (call, form) => startDevice(call, await authenticateClient(call, form), form),
  }),
  publicRoute({
    method: 'POST',
    path: '/api/oauth/revoke',
    summary: 'End the connection that a token belongs to (RFC 7009)',
    body: 'form',
    input: RevokeToken,
    described: { required: ['token'], credential: 'of a client' },
    output: Done,
    handle: async (call, { token, ...form }) => {
      const isNamed = form.client_id !== undefined || call.exchange.header('authorization') !== undefined
      const revoke = async (client: Client) => {
        if (token === undefined) throw oauthRefusal('invalid_request', 'token is missing.')
        await revokeByToken(call, client, token)
      }
      await (isNamed ? byClient(call, form, revoke) : revoke(cliClient))
    },
  }),
] as const

export function grantRoutes(findByToken: FindByToken) {
  return [
    publicRoute({
      method: 'POST',
      path: '/api/oauth/token',
      summary: 'Exchange a code, a device code, a refresh token or the token of a user for tokens',
      body: 'form',
      input: TokenRequest,
      grants: 'accepted',
      described: { required: ['grant_type'], credential: 'of a client' },
      output: Tokens,
      handle: (call, form) => answerTokenRequest(call, form, findByToken),
    }),
    ...consentRoutes,
    ...administratorRoutes,
    ...clientRoutes,
  ] as const
}
