import type { SignedInCall } from '../../../../http/route.ts'
import { isRestricted } from '../../../../rules/caller.ts'
import { type OAuthFault, oauthFault } from '../../../../rules/refusal.ts'
import { isAdministratorScope } from '../../../../rules/scopes.ts'
import type { Client } from '../../clients/client.ts'
import type { RequestInside } from './organization.ts'
import type { ValidRequest } from './request-check.ts'
import { isOffline, storedScopes } from './requested-scopes.ts'
import * as store from './store.ts'

/** The reason for asking the user. */
type Interaction = 'login' | 'consent' | 'account'

/** The command-line client always asks; an application asks unless it may continue as before. */
export async function interactionFor(
  call: SignedInCall,
  client: Client,
  valid: RequestInside,
  proofAfter: number | null,
): Promise<Interaction | undefined> {
  const { credential } = call.caller
  if (client.kind === 'tool' || (call.caller.actor && !isForActing(client, valid))) return 'consent'
  if (proofAfter !== null && (credential.kind !== 'session' || credential.provenAt < proofAfter)) return 'login'
  return interactionAfterSignIn(call, client, valid)
}

/** The administrator's own applications can be shown as the user sees them. Any other would be given something. */
export function isForActing(client: Client | undefined, { scopes }: Pick<ValidRequest, 'scopes'>): boolean {
  return client?.skipsConsent === true && !isOffline(client, scopes)
}

/** The questions left for a user who has just signed in. */
export async function interactionAfterSignIn(
  call: SignedInCall,
  client: Client,
  valid: RequestInside,
): Promise<Exclude<Interaction, 'login'> | undefined> {
  if (valid.prompts.has('select_account') || isRestricted(call.caller)) return 'account'
  // Scopes that only the administrator can give always need a click.
  if (valid.prompts.has('consent') || valid.scopes.some(isAdministratorScope)) return 'consent'
  return (await hasConsent(call, client, valid)) ? undefined : 'consent'
}

/** The user must have shown a credential since this time; null if it does not matter. */
export function proofAfter({ prompts, maxAgeSeconds }: ValidRequest, arrivedAt: number): number | null {
  if (prompts.has('login')) return arrivedAt + 1
  return maxAgeSeconds === undefined ? null : arrivedAt - maxAgeSeconds * 1000
}

/**
 * Another program on the user's machine can pose as a native application, so every request needs a click. A consent is
 * for one organisation, or for none.
 */
async function hasConsent(
  { platform, caller }: SignedInCall,
  client: Client,
  { scopes, organizationId }: RequestInside,
): Promise<boolean> {
  if (client.kind === 'native') return false
  if (client.skipsConsent) return true
  const given = await store.consentOf(platform.meta, { userId: caller.user.id, clientId: client.id })
  if (given?.organization_id !== organizationId) return false
  const allowed = storedScopes(given.scopes)
  return scopes.every((scope) => allowed.includes(scope))
}

/** OpenID Connect Core section 3.1.2.1: no code for a user other than the one in the hint. */
export function faultOfHint({ caller }: SignedInCall, { hintedUserId, prompts }: ValidRequest): OAuthFault | undefined {
  if (hintedUserId === undefined || hintedUserId === caller.user.id) return undefined
  if (hintedUserId === null && !prompts.has('none')) return undefined
  return faultOfInteraction('login')
}

/** OpenID Connect Core section 3.1.2.6. */
export function faultOfInteraction(interaction: Interaction): OAuthFault {
  if (interaction === 'login') return oauthFault('login_required', 'The user has to sign in.')
  if (interaction === 'consent') return oauthFault('consent_required', 'The user has to agree.')
  return oauthFault('interaction_required', 'The user has to interact.')
}
