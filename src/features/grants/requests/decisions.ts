import type { Expression } from 'kysely'
import type { AuthorizationRequestTable } from '../../../database/schema/products/grants.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { actorOf, auditedOnce } from '../../audit/audit.ts'
import type { Client } from '../../clients/client.ts'
import { applicationAsRead } from '../../clients/statements.ts'
import { noticeToOwnerIf } from '../../mail/notices/notices.ts'
import { holdSession, stillSignedIn } from '../../sessions/sessions.ts'
import { whileCallerIsChecked } from '../../settings/holding.ts'
import { codeLifetimeSeconds } from '../lifetimes.ts'
import { redirectTo } from './redirect.ts'
import { needsOtherRole, storedScopes } from './requested-scopes.ts'
import { getPending, getUndecided, gone, isProven } from './requests.ts'
import * as store from './store.ts'

interface Redirect {
  /** Undefined for a device, which polls for the decision. */
  readonly redirect_to?: string
}

/** The user has clicked. */
export async function approveAuthorization(call: SignedInCall, requestId: string): Promise<Redirect> {
  const undecided = await getUndecided(call, requestId)
  const redirect = await approve(call, undecided, 'a click')
  if (!redirect) throw gone()
  return redirect
}

/** Approves without asking. Undefined if the user has withdrawn the consent meanwhile. */
export async function approveAsBefore(
  call: SignedInCall,
  client: Client,
  requestId: string,
): Promise<Redirect | undefined> {
  const request = await getPending(call, requestId)
  if (client.skipsConsent) return approve(call, { request, client }, 'no consent needed')
  const given = await store.consentOf(call.platform.meta, call.caller.user.id, client.id)
  const isEnough = storedScopes(request.scopes).every((scope) => given.includes(scope))
  return isEnough ? approve(call, { request, client }, given) : undefined
}

/** What an approval rests on; the scopes are those of an earlier consent. */
type Basis = 'a click' | 'no consent needed' | readonly string[]

interface Undecided {
  readonly request: AuthorizationRequestTable
  readonly client: Client | undefined
}

/** Undefined if the request has been decided or has expired, or if what the approval rests on has changed. */
async function approve(
  call: SignedInCall,
  undecided: Undecided,
  basis: Basis,
): Promise<Redirect | undefined> {
  const { platform, caller } = call
  const { request } = undecided
  if (!isProven(call, request)) {
    throw new Refusal('SESSION_NOT_FRESH', 'Confirm that it is you, then try again.')
  }
  if (request.kind === 'application' && caller.isGated) {
    throw new Refusal('BETA_CODE_REQUIRED', 'Enter a beta code first.')
  }
  if (needsOtherRole(storedScopes(request.scopes), caller.user.role)) {
    throw new Refusal('FORBIDDEN', 'Only the administrator can approve these permissions.')
  }
  if (request.redirect_uri === null)
    return (await decide(call, undecided, { state: 'approved' }, basis)) ? {} : undefined
  const code = newToken('code')
  const expires_at = platform.now() + codeLifetimeSeconds * 1000
  const outcome = { state: 'approved', code_hash: tokenHash(code), expires_at } as const
  if (!(await decide(call, undecided, outcome, basis))) return undefined
  return { redirect_to: redirectTo(call, request.redirect_uri, request.client_state, { code }) }
}

export async function denyAuthorization(call: SignedInCall, requestId: string): Promise<Redirect> {
  const undecided = await getUndecided(call, requestId)
  const { request } = undecided
  if (!(await decide(call, undecided, { state: 'denied' }, 'a click'))) throw gone()
  if (request.redirect_uri === null) return {}
  const denied = { error: 'access_denied', error_description: 'The user denied the request.' }
  return { redirect_to: redirectTo(call, request.redirect_uri, request.client_state, denied) }
}

async function decide(
  call: SignedInCall,
  { request, client }: Undecided,
  outcome: Omit<store.Outcome, 'user_id' | 'auth_time' | 'session_id'>,
  basis: Basis,
): Promise<boolean> {
  const { platform, caller } = call
  const outcomeOfUser = { ...outcome, user_id: caller.user.id, ...proofOf(call) }
  const { meta } = platform
  const consent =
    typeof basis === 'string' ? undefined : store.consentTo(meta, caller.user.id, request.client_id, basis)
  const application = request.redirect_uri === null ? undefined : applicationAsRead(meta, client)
  const isStill = stillSignedIn(meta, caller)
  const isAgreed = consent ? isStill.where(({ exists }) => exists(consent)) : isStill
  const onlyIf = application ? isAgreed.where(({ exists }) => exists(application)) : isAgreed
  const conditions = { now: platform.now(), onlyIf }
  const act = {
    action: `authorization.${outcome.state}`,
    subject: { type: 'authorization', id: request.id },
    details: { flow: request.flow, client: request.client_name, scopes: storedScopes(request.scopes) },
  }
  const decidable = store.decidable(meta, request.id, caller.user.id, conditions)
  const { entry, isDone } = auditedOnce(platform, actorOf(call), act, decidable)
  const after = outcome.state === 'approved' ? await afterApproval(call, request, basis, isDone) : []
  const session = holdSession(meta, caller)
  const held = [session, consent?.$call(lockRows(meta)) ?? session] as const
  const guard = outcome.state === 'approved' ? whileCallerIsChecked(meta, caller) : undefined
  return store.decide(meta, guard, request, outcomeOfUser, conditions, { held, before: entry, after })
}

/** No letter for an application that gets no more than before, unless it is on a device, which can be a new one. */
async function afterApproval(
  call: SignedInCall,
  request: AuthorizationRequestTable,
  basis: Basis,
  isDone: Expression<unknown>,
) {
  const { platform, caller } = call
  const { kind, client_id, client_name: name } = request
  if (kind !== 'application') return noticeToOwnerIf(call, caller.user, 'tool connected', isDone, name)
  const before = await store.consentOf(platform.meta, caller.user.id, client_id)
  const isMore = storedScopes(request.scopes).some((scope) => !before.includes(scope))
  const needsLetter = basis === 'a click' && (isMore || request.flow === 'device')
  return [
    ...rememberedConsent(call, request, before),
    ...(needsLetter ? await noticeToOwnerIf(call, caller.user, 'application connected', isDone, name) : []),
  ]
}

/** Goes into the `id_token`. */
function proofOf({ caller: { credential } }: SignedInCall) {
  if (credential.kind !== 'session') return { auth_time: null, session_id: null }
  return { auth_time: credential.provenAt, session_id: credential.id }
}

/**
 * Includes what was allowed before, so that an application that asks for less in between does not cause
 * another question.
 */
function rememberedConsent(
  { platform, caller }: SignedInCall,
  request: AuthorizationRequestTable,
  before: readonly string[],
) {
  const { meta, now } = platform
  const allowed = storedScopes(request.scopes)
  const consent = { user_id: caller.user.id, client_id: request.client_id, created_at: now() }
  const more = [...new Set([...before, ...allowed])]
  return [
    ...(before.length === 0 ? [] : [store.extendConsent(meta, consent, before, more, request.id)]),
    store.rememberConsent(meta, { ...consent, scopes: allowed.join(' ') }, request.id),
  ]
}
