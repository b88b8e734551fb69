import type { Call } from '../../../../http/route.ts'
import type { GrantKind } from '../../../../rules/caller.ts'
import { newId } from '../../../../rules/ids.ts'
import { oauthRefusal } from '../../../../rules/refusal.ts'
import type { GrantedScope } from '../../../../rules/scopes.ts'
import { newToken, tokenHash } from '../../../../rules/tokens.ts'
import type { Client } from '../../clients/client.ts'
import { narrowedResource } from '../../clients/resources.ts'
import type { Tokens } from '../input.ts'
import { accessEnd, refreshEnd } from '../lifetimes.ts'
import { isOffline, scopeParameter, stillGiven, storedScopes } from '../requests/requested-scopes.ts'
import { revokeGrant } from '../revoking.ts'
import type { Ending } from '../store.ts'
import { type Contents, identityToken } from './identity-token.ts'
import { type GrantWithUser, type NewTokens, narrowAccess } from './store.ts'

export interface FirstTokens {
  readonly access: string
  readonly refresh: string
  readonly rows: Pick<
    NewTokens,
    'grantId' | 'accessHash' | 'accessExpiresAt' | 'refreshHash' | 'refreshExpiresAt' | 'now'
  >
}

/** Creates tokens before it is known whether there will be a grant for them. */
export function firstTokens({ platform }: Call): FirstTokens {
  const now = platform.now()
  const access = newToken('access')
  const refresh = newToken('refresh')
  const refreshExpiresAt = refreshEnd(now, now)
  const rows = {
    grantId: newId(),
    accessHash: tokenHash(access),
    accessExpiresAt: accessEnd(now, refreshExpiresAt),
    refreshHash: tokenHash(refresh),
    refreshExpiresAt,
    now,
  }
  return { access, refresh, rows }
}

export async function handOutTokens(
  call: Call,
  client: Client,
  grant: GrantWithUser & Pick<Contents, 'claims' | 'organization' | 'actedBy'>,
  { access, refresh, rows }: FirstTokens,
  resource: string | undefined,
): Promise<Tokens> {
  await narrowToResource(call, grant, rows.accessHash, resource)
  const scopes = await allowedScopes(call, client, grant, rows.accessHash)
  const isOfflineStill = grant.is_offline && isOffline(client, scopes)
  const answer = { access, refresh: isOfflineStill ? refresh : undefined, scopes, kind: grant.kind }
  return {
    ...tokenAnswer({ ...answer, lifetimeMilliseconds: rows.accessExpiresAt - rows.now }),
    ...(await identityToken(call.platform, client, grant, { ...grant, scopes })),
  }
}

/** Drops scopes that the administrator has taken away since the approval. */
async function allowedScopes(
  call: Call,
  client: Client,
  grant: GrantWithUser,
  accessHash: string,
): Promise<readonly GrantedScope[]> {
  const granted = storedScopes(grant.scopes)
  const allowed = await stillGiven(call.platform.meta, client, grant.scopes)
  if (allowed.length === granted.length) return granted
  if (allowed.length === 0) {
    await revokeGrant(call, endingOf(grant), 'the application has lost its scopes')
    throw oauthRefusal('invalid_grant', 'The application no longer has any of these scopes.')
  }
  await narrowAccess(call.platform.meta, accessHash, { scopes: allowed.join(' ') })
  return allowed
}

/** If another resource is sent, ends the grant, whose code is used up by now, and refuses. */
async function narrowToResource(
  call: Call,
  grant: GrantWithUser,
  accessHash: string,
  sent: string | undefined,
): Promise<void> {
  const { platform } = call
  const resource = await narrowedResource(platform, grant.resource, sent).catch(async (error: unknown) => {
    await revokeGrant(call, endingOf(grant), 'its first token was asked for another resource')
    throw error
  })
  if (resource !== grant.resource) await narrowAccess(platform.meta, accessHash, { resource })
}

function endingOf({ grant_id, id: user_id, kind, client_name }: GrantWithUser): Ending {
  return { id: grant_id, user_id, kind, client_name }
}

interface TokensGiven {
  readonly access: string
  readonly refresh: string | undefined
  readonly scopes: readonly GrantedScope[]
  readonly kind: GrantKind
  readonly lifetimeMilliseconds: number
}

export function tokenAnswer({ access, refresh, scopes, kind, lifetimeMilliseconds }: TokensGiven): Tokens {
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.floor(lifetimeMilliseconds / 1000)),
    ...(refresh !== undefined && { refresh_token: refresh }),
    scope: scopeParameter(scopes, kind),
  }
}
