import type { SignedInCall } from '../../../../http/route.ts'
import { isRestricted } from '../../../../rules/caller.ts'
import { type OAuthFault, oauthFault } from '../../../../rules/refusal.ts'
import { isAdministratorScope } from '../../../../rules/scopes.ts'
import type { Client } from '../../clients/client.ts'
import type { ValidRequest } from './request-check.ts'
import * as store from './store.ts'

/** The reason for asking the user. */
type Interaction = 'login' | 'consent' | 'account'

/** The command-line client always asks; an application asks unless it may continue as before. */
export async function interactionFor(
  call: SignedInCall,
  client: Client,
  valid: ValidRequest,
  proofAfter: number | null,
): Promise<Interaction | undefined> {
  const { credential } = call.caller
  if (client.kind === 'tool') return 'consent'
  if (proofAfter !== null && (credential.kind !== 'session' || credential.provenAt < proofAfter)) return 'login'
  return interactionAfterSignIn(call, client, valid)
}

/** The questions left for a user who has just signed in. */
export async function interactionAfterSignIn(
  call: SignedInCall,
  client: Client,
  valid: ValidRequest,
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

/** Another program on the user's machine can pose as a native application, so every request needs a click. */
async function hasConsent({ platform, caller }: SignedInCall, client: Client, { scopes }: ValidRequest) {
  if (client.kind === 'native') return false
  if (client.skipsConsent) return true
  const given = await store.consentOf(platform.meta, { userId: caller.user.id, clientId: client.id })
  return scopes.every((scope) => given.includes(scope))
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
