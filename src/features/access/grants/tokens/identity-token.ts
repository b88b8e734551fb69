import type { Platform } from '../../../../platform/platform.ts'
import { isBehindGate } from '../../../../rules/beta-gate.ts'
import type { GrantedScope } from '../../../../rules/scopes.ts'
import { currentSettings } from '../../../ground/settings/current-settings.ts'
import { lacksRequiredFactor, lacksRequiredVerification } from '../../../ground/settings/requirements.ts'
import { longestTokenSeconds } from '../../../ground/signing/keys.ts'
import { sign } from '../../../ground/signing/signing.ts'
import type { Client } from '../../clients/client.ts'
import { identityClaims } from '../identity-claims.ts'
import * as store from './store.ts'

interface Contents {
  readonly scopes: readonly GrantedScope[]
  /** A refresh leaves out the nonce, which was only for the first token. */
  readonly isRenewed?: true
}

/** Issued after a refresh. */
export async function renewedIdentityToken(
  platform: Platform,
  client: Client,
  grantId: string,
  scopes: readonly GrantedScope[],
) {
  if (!scopes.includes('openid')) return {}
  const about = await store.userOfGrant(platform.meta, grantId)
  return about ? identityToken(platform, client, about, { scopes, isRenewed: true }) : {}
}

/**
 * OpenID Connect Core section 2. It needs the scope `openid` and a user who is not restricted.
 */
export async function identityToken(
  platform: Platform,
  client: Client,
  about: store.GrantWithUser,
  { scopes, isRenewed }: Contents,
): Promise<{ readonly id_token?: string }> {
  if (!scopes.includes('openid')) return {}
  const { authentication } = await currentSettings(platform, about.settings_revision ?? undefined)
  if (lacksRequiredVerification(authentication, about) || lacksRequiredFactor(authentication, about)) return {}
  if (isBehindGate(authentication, about)) return {}
  const { auth_time, session_id, nonce } = about
  const claims = {
    ...identityClaims(platform, about, scopes),
    azp: client.id,
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
