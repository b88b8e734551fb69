import type { UserTable } from '../../../../database/schema/people/users.ts'
import type { AuthorizationRequestTable, ConsentTable } from '../../../../database/schema/products/grants.ts'
import { refusedWhileActing } from '../../../../http/acting.ts'
import type { SignedInCall } from '../../../../http/route.ts'
import { refuseGated } from '../../../../rules/beta-gate.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { newToken, tokenHash } from '../../../../rules/tokens.ts'
import { type Act, decide } from '../../../ground/acts/acts.ts'
import { refuseOtherSettings } from '../../../ground/settings/current-settings.ts'
import { heldRevision } from '../../../ground/settings/statements.ts'
import { refuseOutside } from '../../../people/memberships/membership.ts'
import { membershipIn } from '../../../people/memberships/statements.ts'
import { lockedSessionOf } from '../../../people/sessions/sessions.ts'
import { lockedUser } from '../../../people/users/statements.ts'
import type { Client } from '../../clients/client.ts'
import { heldClient, refuseOtherClient } from '../../clients/holding.ts'
import { codeLifetimeSeconds } from '../lifetimes.ts'
import { isForActing } from './interaction.ts'
import { chosenIn } from './organization.ts'
import { scopeNotHeld, storedScopes } from './requested-scopes.ts'
import { getUndecided, gone, isProven } from './requests.ts'
import { responseTo } from './response.ts'
import * as store from './store.ts'

interface Redirect {
  /** Undefined for a device, which polls for the decision. */
  readonly redirect_to?: string
}

/** Approves the request on the user's click. */
export async function approveAuthorization(
  call: SignedInCall,
  requestId: string,
  chosen: string | null | undefined,
): Promise<Redirect> {
  const { request, client } = await getUndecided(call, requestId)
  const basis = request.only_sign_in ? basisOf(client) : 'a click'
  const redirect = await approve(call, { request: insideChosen(call, request, chosen), client }, basis)
  if (!redirect) throw gone()
  return redirect
}

/** Stores a new request as approved, without asking. Undefined if the user has withdrawn the consent meanwhile. */
export function approveAsBefore(
  call: SignedInCall,
  client: Client,
  request: AuthorizationRequestTable,
): Promise<Redirect | undefined> {
  return approve(call, { request: insideChosen(call, request), client, isNew: true }, basisOf(client))
}

function insideChosen(call: SignedInCall, request: AuthorizationRequestTable, chosen?: string | null) {
  return { ...request, organization_id: chosenIn(call, request, chosen) }
}

function basisOf(client: Client | undefined): Basis {
  return client?.skipsConsent ? 'no consent needed' : 'an earlier consent'
}

type Basis = 'a click' | 'no consent needed' | 'an earlier consent'

interface Undecided {
  /** With the organisation that the grant will act in. */
  readonly request: AuthorizationRequestTable
  readonly client: Client | undefined
  /** Set while the request is not stored yet. */
  readonly isNew?: true
}

/** Undefined if the request has been decided or has expired, or if what the approval rests on has changed. */
async function approve(call: SignedInCall, undecided: Undecided, basis: Basis): Promise<Redirect | undefined> {
  const { platform, caller } = call
  const { request } = undecided
  const scopes = storedScopes(request.scopes)
  if (caller.actor && !(undecided.isNew && isForActing(undecided.client, { scopes }))) throw refusedWhileActing()
  if (!isProven(call, request)) {
    throw new Refusal('SESSION_NOT_FRESH', 'Confirm that it is you, then try again.')
  }
  if (request.kind === 'application') refuseGated(caller)
  const missing = scopeNotHeld(scopes, caller.user)
  if (missing !== undefined)
    throw new Refusal('FORBIDDEN', `Your account lacks ${missing}, so no program can have it from you.`)
  if (request.redirect_uri === null) {
    const { code_hash, expires_at } = request
    return (await decideRequest(call, undecided, { state: 'approved', code_hash, expires_at }, basis)) ? {} : undefined
  }
  const code = newToken('code')
  const expires_at = platform.now() + codeLifetimeSeconds * 1000
  const outcome = { state: 'approved', code_hash: tokenHash(code), expires_at } as const
  if (!(await decideRequest(call, undecided, outcome, basis))) return undefined
  return { redirect_to: responseTo(call, backOf(request, request.redirect_uri), { code }) }
}

export async function denyAuthorization(call: SignedInCall, requestId: string): Promise<Redirect> {
  const undecided = await getUndecided(call, requestId)
  const { request } = undecided
  const { code_hash, expires_at } = request
  if (!(await decideRequest(call, undecided, { state: 'denied', code_hash, expires_at }, 'a click'))) throw gone()
  if (request.redirect_uri === null) return {}
  const denied = { error: 'access_denied', error_description: 'The user denied the request.' }
  return { redirect_to: responseTo(call, backOf(request, request.redirect_uri), denied) }
}

function backOf({ client_state: state, response_mode: mode }: AuthorizationRequestTable, redirectUri: string) {
  return { redirectUri, state, mode }
}

type Outcome = Omit<store.RequestOutcome, 'user_id' | 'organization_id' | 'auth_time' | 'session_id'>

async function decideRequest(
  call: SignedInCall,
  undecided: Undecided,
  outcome: Outcome,
  basis: Basis,
): Promise<boolean> {
  const { platform, caller } = call
  const { meta, now } = platform
  const { request, client, isNew } = undecided
  const { client_id, organization_id } = request
  const userId = caller.user.id
  const isApproval = outcome.state === 'approved'
  return decide(
    call,
    [
      isApproval ? heldRevision(meta) : undefined,
      client && heldClient(meta, client),
      lockedUser(meta, userId),
      lockedSessionOf(meta, caller),
      store.lockedConsent(meta, { userId, clientId: client_id }),
      isNew ? undefined : store.lockedPending(meta, request.id, caller, now()),
      organization_id === null ? undefined : membershipIn(meta, userId, organization_id),
    ],
    async (act, revisions, clients, [user], [session], [consent], [pending], [membership]) => {
      if (isApproval) {
        refuseOtherSettings({ revision: caller.settingsRevision }, revisions)
        refuseOutside(organization_id, membership)
      }
      if (client) refuseOtherClient(client, clients)
      if (!user || !session || !(isNew || pending)) return false
      const before = allowedIn(organization_id, consent)
      if (isWithdrawn(basis, before, request)) return false
      act.write(decided(call, undecided, outcome), ...(isApproval ? keptConsent(call, request, before) : []))
      record(act, user, request, outcome.state, basis === 'a click' ? letterAbout(request, before) : undefined)
      return true
    },
  )
}

function allowedIn(
  organizationId: string | null,
  consent: Pick<ConsentTable, 'scopes' | 'organization_id'> | undefined,
): readonly string[] {
  return consent && consent.organization_id === organizationId ? storedScopes(consent.scopes) : []
}

function decided(call: SignedInCall, { request, isNew }: Undecided, outcome: Outcome) {
  const { meta } = call.platform
  const { organization_id } = request
  const change = { ...outcome, user_id: call.caller.user.id, organization_id, ...proofOf(call) }
  return isNew ? store.inserted(meta, { ...request, ...change }) : store.setOutcome(meta, { id: request.id, ...change })
}

function record(
  act: Act,
  user: UserTable,
  { id, flow, kind, client_name, scopes }: AuthorizationRequestTable,
  state: store.RequestOutcome['state'],
  letter: ReturnType<typeof letterAbout>,
): void {
  const details = { flow, client: client_name, scopes: storedScopes(scopes) }
  const about = { user, subject: { type: 'authorization', id }, details } as const
  const name = kind === 'application' ? client_name : undefined
  if (state === 'approved') act.record('authorization.approved', { ...about, letter, name })
  else act.record('authorization.denied', about)
}

function isWithdrawn(basis: Basis, before: readonly string[], request: AuthorizationRequestTable): boolean {
  return basis === 'an earlier consent' && isMoreThan(before, request)
}

function isMoreThan(before: readonly string[], { scopes }: AuthorizationRequestTable): boolean {
  return storedScopes(scopes).some((scope) => !before.includes(scope))
}

/**
 * Only applications have a remembered consent. It includes what was allowed before in the same organisation, so that a
 * smaller request in between does not cause another question.
 */
function keptConsent(
  { platform, caller }: SignedInCall,
  request: AuthorizationRequestTable,
  before: readonly string[],
) {
  if (request.kind !== 'application' || caller.actor) return []
  const { meta, now } = platform
  const scopes = [...new Set([...before, ...storedScopes(request.scopes)])].join(' ')
  const { client_id, organization_id } = request
  const consent = { user_id: caller.user.id, client_id, scopes, organization_id, created_at: now() }
  return [store.keepConsent(meta, consent)]
}

/** An application that gets no more than before causes no letter, unless the request is from a device, perhaps new. */
function letterAbout(request: AuthorizationRequestTable, before: readonly string[]) {
  if (request.kind !== 'application') return 'tool connected'
  return isMoreThan(before, request) || request.flow === 'device' ? 'application connected' : undefined
}

/** The proof of the sign-in, for the `id_token`. */
function proofOf({ caller: { credential, actor } }: SignedInCall) {
  if (credential.kind !== 'session') return { auth_time: null, session_id: null }
  return { auth_time: actor ? null : credential.provenAt, session_id: credential.id }
}
