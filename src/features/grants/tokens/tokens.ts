import { v7 as newId } from 'uuid'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { newToken, tokenHash } from '../../../rules/tokens.ts'
import { recordAudit } from '../../audit/audit.ts'
import type { Tokens } from '../input.ts'
import { accessEnd, refreshEnd } from '../lifetimes.ts'
import { scopeParameter, storedScopes } from '../requests/requested-scopes.ts'
import type { NewTokens } from '../store.ts'

interface FirstTokens {
  readonly access: string
  readonly refresh: string
  readonly rows: NewTokens
}

/** Made before it is known whether there is a grant to have them. */
export function firstTokens(platform: Platform): FirstTokens {
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
  }
  return { access, refresh, rows }
}

interface MadeGrant {
  readonly id: string
  readonly user_id: string
  readonly scopes: string
}

export async function grantMade(
  { platform, client }: Call,
  grant: MadeGrant,
  { access, refresh, rows }: FirstTokens,
): Promise<Tokens> {
  const scopes = storedScopes(grant.scopes)
  await recordAudit(
    platform,
    { id: grant.user_id, address: client.address },
    { action: 'grant.made', subject: { type: 'grant', id: grant.id }, details: { scopes } },
  )
  return tokenAnswer(access, refresh, scopes.join(' '), rows.accessExpiresAt - rows.now)
}

export function tokenAnswer(
  access: string,
  refresh: string,
  scopes: string,
  lifetimeMilliseconds: number,
): Tokens {
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.floor(lifetimeMilliseconds / 1000)),
    refresh_token: refresh,
    scope: scopeParameter(storedScopes(scopes)),
  }
}
