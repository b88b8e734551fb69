import type { Platform } from '../../../../platform/platform.ts'
import { isBehindGate } from '../../../../rules/beta-gate.ts'
import { actorClaims } from '../../../../rules/caller.ts'
import type { JsonObject } from '../../../../rules/json-object.ts'
import type { GrantedScope } from '../../../../rules/scopes.ts'
import { lacksRequiredFactor } from '../../../../rules/second-factor.ts'
import { lacksRequiredVerification } from '../../../../rules/verification.ts'
import { currentSettings } from '../../../ground/settings/current-settings.ts'
import { longestTokenSeconds } from '../../../ground/signing/keys.ts'
import { sign } from '../../../ground/signing/signing.ts'
import { findActor } from '../../../people/sessions/acting.ts'
import type { Client } from '../../clients/client.ts'
import { type ActingIn, identityClaims } from '../identity-claims.ts'
import * as store from './store.ts'

export interface Contents {
  readonly scopes: readonly GrantedScope[]
  /** The product's, none of which has a reserved name. */
  readonly claims: JsonObject | undefined
  /** Where the grant acts, if its user is a member at this moment. */
  readonly organization: ActingIn | undefined
  /** The administrator who acts as the user. What they get is never refreshed. */
  readonly actedBy?: string | null
  /** A refresh leaves out the nonce, which was only for the first token. */
  readonly isRenewed?: true
}

/** Issued after a refresh. */
export async function renewedIdentityToken(
  platform: Platform,
  client: Client,
  grantId: string,
  contents: Omit<Contents, 'isRenewed'>,
) {
  if (!contents.scopes.includes('openid')) return {}
  const about = await store.userOfGrant(platform.meta, grantId)
  return about ? identityToken(platform, client, about, { ...contents, isRenewed: true }) : {}
}

/**
 * OpenID Connect Core section 2. It needs the scope `openid` and a user who is not restricted.
 */
export async function identityToken(
  platform: Platform,
  client: Client,
  about: store.GrantWithUser,
  { scopes, claims: given, organization, actedBy = null, isRenewed }: Contents,
): Promise<{ readonly id_token?: string }> {
  if (!scopes.includes('openid')) return {}
  const { authentication } = await currentSettings(platform, about.settings_revision ?? undefined)
  if (lacksRequiredVerification(authentication, about) || lacksRequiredFactor(authentication, about)) return {}
  if (isBehindGate(authentication, about)) return {}
  const { auth_time, session_id, nonce } = about
  const isActing = actedBy !== null && session_id !== null
  const actor = isActing ? await findActor(platform, session_id, about, authentication) : undefined
  if (isActing && !actor) return {}
  const claims = {
    ...given,
    ...identityClaims(platform, about, scopes, organization),
    azp: client.id,
    ...actorClaims(actor),
    ...(auth_time !== null && { auth_time: Math.floor(auth_time / 1000) }),
    ...(session_id !== null && { sid: session_id }),
    ...(nonce !== null && !isRenewed && { nonce }),
  }
  const algorithm = client.idTokenAlgorithm
  const audience = client.id
  return {
    id_token: await sign(platform, claims, { algorithm, audience, lifetimeSeconds: longestTokenSeconds }),
  }
}
