import type { Call } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { localNetworkOf } from '../../../../rules/networks.ts'
import { oauthRefusal } from '../../../../rules/refusal.ts'
import { PREFIX, tokenHash } from '../../../../rules/tokens.ts'
import { askBeforeToken } from '../../../ground/hooks/asking.ts'
import { currentSettings } from '../../../ground/settings/current-settings.ts'
import { membershipIn } from '../../../people/memberships/statements.ts'
import { getUser } from '../../../people/users/users.ts'
import { type Client, grantKindOf } from '../../clients/client.ts'
import { narrowedResource } from '../../clients/resources.ts'
import type { TokenRequest } from '../input.ts'
import { accessEnd, refreshEnd, refreshRetrySeconds } from '../lifetimes.ts'
import { askedOf, isOffline, stillGiven, storedScopes } from '../requests/requested-scopes.ts'
import { revokeGrant } from '../revoking.ts'
import { renewedIdentityToken } from './identity-token.ts'
import { refuseRestricted } from './restricted.ts'
import { standing } from './standing.ts'
import * as store from './store.ts'
import { tokenAnswer } from './tokens.ts'

const RETRY_MILLISECONDS = refreshRetrySeconds * 1000

/** Returns a new pair for an old token, and the same pair again for a retry. A stolen token ends the grant. */
export async function refresh(call: Call, client: Client, { refresh_token, scope, resource }: TokenRequest) {
  if (refresh_token === undefined) throw oauthRefusal('invalid_request', 'refresh_token is missing.')
  const { platform } = call
  const now = platform.now()
  const old = await store.refreshTokenByHash(platform.meta, tokenHash(refresh_token))
  if (!old || old.client_id !== client.id || old.revoked_at !== null || old.expires_at <= now) throw refused()
  // The administrator can take `offline_access` from an application.
  if (!isOffline(client, client.scopes)) throw refused()
  const narrower = await narrowed(platform, client, old.scopes, scope)
  const target = await narrowedResource(platform, old.resource, resource)
  if (old.used_at !== null && now - old.used_at >= RETRY_MILLISECONDS) {
    throw await endStolen(call, client, old)
  }
  await refuseRestricted(platform, old)
  const organization = await standingOf(platform, old)
  const claims = old.kind === 'application' ? await claimsOf(call, client, old) : undefined
  const { access, next } = successors(platform, refresh_token, target === null ? narrower : `${narrower} ${target}`)
  const refreshExpiresAt = refreshEnd(now, old.grant_created_at)
  const origin = originOf(call, client)
  const rotated = await store.rotate(platform.meta, client, {
    grantId: old.grant_id,
    oldHash: tokenHash(refresh_token),
    origin,
    accessHash: tokenHash(access),
    accessExpiresAt: accessEnd(now, refreshExpiresAt),
    narrowerScopes: narrower,
    narrowerResource: target,
    refreshHash: tokenHash(next),
    refreshExpiresAt,
    olderAccessEndsAt: now + RETRY_MILLISECONDS,
    now,
  })
  if (!rotated) throw refused()
  if ((rotated.rotated_from ?? origin) !== origin) throw await endStolen(call, client, old)
  const scopes = storedScopes(narrower)
  const lifetimeMilliseconds = rotated.expires_at - now
  return {
    ...tokenAnswer({ access, refresh: next, scopes, kind: grantKindOf(client), lifetimeMilliseconds }),
    ...(await renewedIdentityToken(platform, client, old.grant_id, { scopes, claims, organization })),
  }
}

async function standingOf({ meta: { primary } }: Platform, { user_id, organization_id }: OldToken) {
  if (organization_id === null) return undefined
  const [membership] = await primary.run(membershipIn(primary, user_id, organization_id))
  return standing(membership)
}

/** Asks the product before anything is rotated, so that its no uses nothing up. */
async function claimsOf(call: Call, client: Client, { user_id, organization_id, settings_revision }: OldToken) {
  const { hooks } = await currentSettings(call.platform, settings_revision ?? undefined)
  if (!hooks.before_token.enabled) return undefined
  const { id, email, name, email_verified } = await getUser(call.platform.meta, user_id)
  const user = { id, email, name, email_verified: email_verified === 1 }
  const asked = { user, method: 'refresh_token', clientId: client.id, organizationId: organization_id ?? undefined }
  return (await askBeforeToken(call, asked)).claims
}

/** Two programs are using the same token, and nothing shows which of them owns it. */
async function endStolen(call: Call, client: Client, { grant_id: id, user_id, kind, client_name }: OldToken) {
  const grant = { id, user_id, kind, client_name }
  await revokeGrant(call, grant, 'an old refresh token came back', client)
  return refused()
}

type OldToken = NonNullable<Awaited<ReturnType<typeof store.refreshTokenByHash>>>

/**
 * Identifies the sender: a client that lost a response retries from the same network with the same program.
 * A client with a secret has proven that it is the owner, and can run on many machines.
 */
function originOf({ platform, sender: { address, userAgent } }: Call, client: Client): string {
  const isProven = client.secretHash !== null
  const from = isProven ? client.id : `${localNetworkOf(address)} ${userAgent}`
  return platform.signer.digest('origin of a refresh', from)
}

/** RFC 6749 section 6: fewer scopes are allowed, more are not. They keep the grant's order. */
async function narrowed(
  { meta }: Platform,
  client: Client,
  granted: string,
  scope: string | undefined,
): Promise<string> {
  const left = await stillGiven(meta, client, granted)
  if (scope === undefined && left.length > 0) return left.join(' ')
  const asked = askedOf(client.kind, scope)
  const kept = left.filter((one) => asked.includes(one))
  if (kept.length === 0 || kept.length !== asked.length) {
    throw oauthRefusal('invalid_scope', 'A refresh cannot ask for more than was granted.')
  }
  return kept.join(' ')
}

/** The tokens are derived and not random: a retry gets the same pair although the store has only hashes. */
function successors({ signer }: Platform, old: string, access: string) {
  return {
    access: PREFIX.access + signer.digest('access token after', `${old} ${access}`),
    next: PREFIX.refresh + signer.digest('refresh token after', old),
  }
}

function refused() {
  return oauthRefusal(
    'invalid_grant',
    'This refresh token is unknown, has expired or been revoked, or was used before.',
  )
}
