import { v7 as newId } from 'uuid'
import type { AuthorizationRequestTable } from '../../../database/schema.ts'
import type { Call, SignedInCall } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { SCOPES, type Scope } from '../../../rules/scopes.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { actorOf, recordAudit } from '../../audit/audit.ts'
import { stillSignedIn } from '../../sessions/sessions.ts'
import { client } from '../client.ts'
import { codeLifetimeSeconds, pollIntervalSeconds, requestLifetimeSeconds } from '../lifetimes.ts'
import { redirectTo } from './redirect.ts'
import { needsOtherRole, storedScopes } from './requested-scopes.ts'
import * as store from './store.ts'
import { shownUserCode } from './user-codes.ts'

/** Nobody's yet; the flow adds what is its own. */
export function newRequest(
  call: Call,
  flow: AuthorizationRequestTable['flow'],
  scopes: readonly Scope[],
): AuthorizationRequestTable {
  const { platform, client: from } = call
  const now = platform.now()
  return {
    id: newId(),
    flow,
    state: 'pending',
    client_id: client.id,
    client_name: client.name,
    target_origin: platform.config.baseUrl,
    scopes: scopes.join(' '),
    user_id: null,
    grant_id: null,
    redirect_uri: null,
    client_state: null,
    code_challenge: null,
    code_hash: null,
    user_code: null,
    device_code_hash: null,
    interval_seconds: pollIntervalSeconds,
    last_polled_at: null,
    ip: from.address,
    user_agent: from.userAgent,
    created_at: now,
    expires_at: now + requestLifetimeSeconds * 1000,
  }
}

/** What the consent page shows before anybody clicks. */
export async function describeAuthorization(call: SignedInCall, requestId: string) {
  const request = await getPending(call, requestId)
  return {
    client_id: request.client_id,
    client_name: request.client_name,
    target_origin: request.target_origin,
    scopes: storedScopes(request.scopes).map((scope) => ({ scope, description: SCOPES[scope] })),
    user_code: request.user_code === null ? null : shownUserCode(request.user_code),
    ip: request.ip,
    user_agent: shownUserAgent(request.user_agent),
    created_at: request.created_at,
    expires_in: Math.floor((request.expires_at - call.platform.now()) / 1000),
  }
}

const LONGEST_USER_AGENT = 160

/** Of an unknown program: nothing that hides or turns text, and no room for a letter to the user. */
function shownUserAgent(userAgent: string): string {
  return userAgent
    .replace(/[^ -~]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .slice(0, LONGEST_USER_AGENT)
}

export async function approveAuthorization(call: SignedInCall, requestId: string) {
  const { platform, caller } = call
  const request = await getPending(call, requestId)
  if (needsOtherRole(storedScopes(request.scopes), caller.user.role)) {
    throw new Refusal('FORBIDDEN', 'Only the administrator can allow what is asked for here.')
  }
  if (request.redirect_uri === null) {
    await decide(call, request, { state: 'approved' })
    return {}
  }
  const code = newToken('code')
  const expires_at = platform.now() + codeLifetimeSeconds * 1000
  await decide(call, request, { state: 'approved', code_hash: tokenHash(code), expires_at })
  return { redirect_to: redirectTo(call, request.redirect_uri, request.client_state, { code }) }
}

export async function denyAuthorization(call: SignedInCall, requestId: string) {
  const request = await getPending(call, requestId)
  await decide(call, request, { state: 'denied' })
  if (request.redirect_uri === null) return {}
  const denied = { error: 'access_denied', error_description: 'The user said no.' }
  return { redirect_to: redirectTo(call, request.redirect_uri, request.client_state, denied) }
}

async function decide(
  call: SignedInCall,
  request: AuthorizationRequestTable,
  outcome: Omit<store.Outcome, 'user_id'>,
): Promise<void> {
  const { platform, caller } = call
  const outcomeOfUser = { ...outcome, user_id: caller.user.id }
  const conditions = { now: platform.now(), onlyIf: stillSignedIn(platform.meta, caller) }
  if (!(await store.decide(platform.meta, request.id, outcomeOfUser, conditions))) throw gone()
  await recordAudit(platform, actorOf(call), {
    action: `authorization.${outcome.state}`,
    subject: { type: 'authorization', id: request.id },
    details: { flow: request.flow, client: request.client_name, scopes: storedScopes(request.scopes) },
  })
}

async function getPending({ platform, caller }: SignedInCall, requestId: string) {
  const request = await store.pendingFor(platform.meta, requestId, caller.user.id, platform.now())
  if (!request) throw gone()
  return request
}

function gone(): Refusal {
  return new Refusal('NOT_FOUND', 'This request is decided already or has expired; start again.')
}
