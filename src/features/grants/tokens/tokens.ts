import { v7 as newId } from 'uuid'
import type { Call } from '../../../http/route.ts'
import type { GrantKind } from '../../../rules/caller.ts'
import type { GrantedScope } from '../../../rules/scopes.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import type { Client } from '../../clients/client.ts'
import type { Tokens } from '../input.ts'
import { accessEnd, refreshEnd } from '../lifetimes.ts'
import { scopeParameter, storedScopes } from '../requests/requested-scopes.ts'
import type { NewGrant } from '../store.ts'
import { identityToken } from './identity-token.ts'
import type { GrantWithUser } from './store.ts'

interface FirstTokens {
  readonly access: string
  readonly refresh: string
  readonly rows: NewGrant
}

/** Made before it is known whether there will be a grant for them. */
export function firstTokens({ platform, client: { address } }: Call, client: Client): FirstTokens {
  const now = platform.now()
  const access = newToken('access')
  const refresh = newToken('refresh')
  const refreshExpiresAt = refreshEnd(now, now)
  const rows = {
    grantId: newId(),
    accessHash: tokenHash(access),
    accessExpiresAt: accessEnd(now, refreshExpiresAt),
    narrowerScopes: null,
    refreshHash: tokenHash(refresh),
    refreshExpiresAt,
    now,
    eventId: newId(),
    ip: address,
    clientName: JSON.stringify(client.name),
  }
  return { access, refresh, rows }
}

export async function grantMade(
  { platform }: Call,
  client: Client,
  grant: GrantWithUser,
  { access, refresh, rows }: FirstTokens,
): Promise<Tokens> {
  const scopes = storedScopes(grant.scopes)
  const answer = { access, refresh: grant.is_offline ? refresh : undefined, scopes, kind: grant.kind }
  return {
    ...tokenAnswer({ ...answer, lifetimeMilliseconds: rows.accessExpiresAt - rows.now }),
    ...(await identityToken(platform, client, grant, { scopes })),
  }
}

interface Given {
  readonly access: string
  readonly refresh: string | undefined
  readonly scopes: readonly GrantedScope[]
  readonly kind: GrantKind
  readonly lifetimeMilliseconds: number
}

export function tokenAnswer({ access, refresh, scopes, kind, lifetimeMilliseconds }: Given): Tokens {
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.floor(lifetimeMilliseconds / 1000)),
    ...(refresh !== undefined && { refresh_token: refresh }),
    scope: scopeParameter(scopes, kind),
  }
}
