import type { AuthorizationRequestTable } from '../../../../database/schema/products/grants.ts'
import type { Call, SignedInCall } from '../../../../http/route.ts'
import { newId } from '../../../../rules/ids.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import type { GrantedScope } from '../../../../rules/scopes.ts'
import { type Client, domainOf, grantKindOf } from '../../clients/client.ts'
import { findClient } from '../../clients/clients.ts'
import { describedScopes } from '../../product-scopes/product-scopes.ts'
import { pollIntervalSeconds, requestLifetimeSeconds } from '../lifetimes.ts'
import { describedOrganizations } from './organization.ts'
import { isOffline, storedScopes } from './requested-scopes.ts'
import * as store from './store.ts'
import { shownUserCode } from './user-codes.ts'

/** The request belongs to no user yet; each flow adds its own values. */
export function newRequest(
  call: Call,
  client: Client,
  flow: AuthorizationRequestTable['flow'],
  scopes: readonly GrantedScope[],
): AuthorizationRequestTable {
  const { platform, sender } = call
  const now = platform.now()
  return {
    id: newId(),
    flow,
    state: 'pending',
    client_id: client.id,
    client_name: client.name,
    target_origin: platform.config.baseUrl,
    kind: grantKindOf(client),
    resource: null,
    scopes: scopes.join(' '),
    is_offline: isOffline(client, scopes) ? 1 : 0,
    nonce: null,
    proof_after: null,
    only_sign_in: 0,
    auth_time: null,
    session_id: null,
    user_id: null,
    organization_id: null,
    grant_id: null,
    redirect_uri: null,
    client_state: null,
    response_mode: null,
    code_challenge: null,
    code_hash: null,
    user_code: null,
    device_code_hash: null,
    interval_seconds: pollIntervalSeconds,
    last_polled_at: null,
    ip: sender.address,
    user_agent: sender.userAgent,
    created_at: now,
    expires_at: now + requestLifetimeSeconds * 1000,
  }
}

/** What the consent page shows. */
export async function describeAuthorization(call: SignedInCall, requestId: string) {
  const { request, client } = await getUndecided(call, requestId)
  const { meta } = call.platform
  return {
    client_id: request.client_id,
    client_name: request.client_name,
    client_domain: domainOf(request.client_id),
    client_registered_itself: client?.asStored?.origin === 'registration',
    client_logo_url: client?.logoUrl ? logoAddress(client.id) : null,
    client_home_url: client?.homeUrl ?? null,
    kind: request.kind,
    needs_confirmation: !isProven(call, request),
    needs_consent: request.only_sign_in === 0,
    target_origin: request.target_origin,
    redirect_uri: request.redirect_uri,
    ...(await describedOrganizations(call, request)),
    scopes: [...(await describedScopes(meta, storedScopes(request.scopes)))],
    user_code: request.user_code === null ? null : shownUserCode(request.user_code),
    ip: request.ip,
    user_agent: shownUserAgent(request.user_agent),
    created_at: request.created_at,
    expires_in: Math.floor((request.expires_at - call.platform.now()) / 1000),
  }
}

/** The address is our own, so that no browser fetches one that somebody else chose. */
function logoAddress(clientId: string): string {
  return `/api/oauth/client_logo?${new URLSearchParams({ client_id: clientId })}`
}

/** True if the session has shown a credential as recently as the application requires. */
export function isProven({ caller: { credential } }: SignedInCall, { proof_after }: AuthorizationRequestTable) {
  if (proof_after === null) return true
  return credential.kind === 'session' && credential.provenAt >= proof_after
}

const LONGEST_USER_AGENT = 160

/**
 * An unknown program sent this, so it is shown without characters that hide or reverse text, and too short for a
 * message to the user.
 */
function shownUserAgent(userAgent: string): string {
  return userAgent
    .replace(/[^ -~]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .slice(0, LONGEST_USER_AGENT)
}

/** Also throws if the administrator has since removed the redirect URI, so that nothing more is sent there. */
export async function getUndecided(call: SignedInCall, requestId: string) {
  const request = await getPending(call, requestId)
  const client = await findClient(call.platform, request.client_id)
  if (request.redirect_uri !== null && !client?.hasRedirect(request.redirect_uri)) throw gone()
  return { request, client }
}

async function getPending({ platform, caller }: SignedInCall, requestId: string) {
  const request = await store.pendingFor(platform.meta, requestId, caller, platform.now())
  if (!request) throw gone()
  return request
}

export function gone(): Refusal {
  return new Refusal('NOT_FOUND', 'This request has already been decided or has expired; start again.')
}
