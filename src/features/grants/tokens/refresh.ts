import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { oauthRefusal } from '../../../rules/refusal.ts'
import { PREFIX, tokenHash } from '../../../rules/tokens.ts'
import { localNetworkOf } from '../../limits/networks.ts'
import { revokeGrant } from '../grants.ts'
import type { TokenRequest } from '../input.ts'
import { accessEnd, refreshEnd, refreshRetrySeconds } from '../lifetimes.ts'
import { parseScopes } from '../requests/requested-scopes.ts'
import * as store from './store.ts'
import { tokenAnswer } from './tokens.ts'

const RETRY_MILLISECONDS = refreshRetrySeconds * 1000

/** A new pair for an old token; the same pair again for a retry; the end of the grant for a theft. */
export async function refresh(call: Call, { refresh_token, scope }: TokenRequest) {
  if (refresh_token === undefined) throw oauthRefusal('invalid_request', 'refresh_token is missing.')
  const { platform } = call
  const now = platform.now()
  const old = await store.refreshTokenByHash(platform.meta, tokenHash(refresh_token))
  if (!old || old.revoked_at !== null || old.expires_at <= now) throw refused()
  const narrower = narrowed(old.scopes, scope)
  if (old.used_at !== null && now - old.used_at >= RETRY_MILLISECONDS) {
    throw await endStolen(call, old.grant_id)
  }
  const { access, next } = successors(platform, refresh_token, narrower)
  const refreshExpiresAt = refreshEnd(now, old.grant_created_at)
  const origin = originOf(call)
  const rotated = await store.rotate(platform.meta, {
    grantId: old.grant_id,
    oldHash: tokenHash(refresh_token),
    origin,
    accessHash: tokenHash(access),
    accessExpiresAt: accessEnd(now, refreshExpiresAt),
    narrowerScopes: narrower,
    refreshHash: tokenHash(next),
    refreshExpiresAt,
    olderAccessEndsAt: now + RETRY_MILLISECONDS,
    now,
  })
  if (!rotated) throw refused()
  if ((rotated.rotated_from ?? origin) !== origin) throw await endStolen(call, old.grant_id)
  return tokenAnswer(access, next, narrower, rotated.expires_at - now)
}

/** Two hold the same token, and nobody can tell which of them is the owner. */
async function endStolen(call: Call, grantId: string) {
  await revokeGrant(call, grantId, 'an old refresh token came back')
  return refused()
}

/** Who refreshes: a client that lost a response retries from the same network with the same program. */
function originOf({ platform, client }: Call): string {
  const from = `${localNetworkOf(client.address)} ${client.userAgent}`
  return platform.signer.digest('origin of a refresh', from)
}

/** RFC 6749 section 6: fewer scopes are allowed, more are not. In the grant's own order. */
function narrowed(granted: string, scope: string | undefined): string {
  if (scope === undefined) return granted
  const asked: readonly string[] | undefined = parseScopes(scope)
  const kept = granted.split(' ').filter((one) => asked?.includes(one))
  if (!asked || kept.length !== asked.length) {
    throw oauthRefusal('invalid_scope', 'A refresh cannot ask for more than was granted.')
  }
  return kept.join(' ')
}

/** Derived, not drawn: a retry gets the same pair although the store has only hashes. */
function successors({ signer }: Platform, old: string, scopes: string) {
  return {
    access: PREFIX.access + signer.digest('access token after', `${old} ${scopes}`),
    next: PREFIX.refresh + signer.digest('refresh token after', old),
  }
}

function refused() {
  return oauthRefusal('invalid_grant', 'This refresh token is not known, has ended, or was used before.')
}
