import type { Call } from '../../http/route.ts'
import { oauthRefusal } from '../../rules/refusal.ts'
import { findCaller } from '../callers/find-caller.ts'
import { identityClaims } from '../grants/identity-claims.ts'
import { bearerTokenOf } from '../sessions/cookie.ts'

/** OpenID Connect Core section 5.3: by the access token in the header alone. */
export async function userInfo({ platform, exchange }: Call) {
  const isSent = bearerTokenOf(exchange) !== undefined
  const caller = isSent ? await findCaller(platform, exchange) : undefined
  if (caller?.credential.kind !== 'grant') {
    // RFC 6750 section 3.1: no error for a request without a token.
    const error = isSent ? ', error="invalid_token"' : ''
    exchange.setHeader('www-authenticate', `Bearer realm="gatehouse"${error}`)
    throw oauthRefusal('invalid_token', 'Send a valid access token as a bearer token.')
  }
  const { user, credential, isGated, lacksFactor } = caller
  if (!credential.scopes.includes('openid') || isGated || lacksFactor) {
    exchange.setHeader(
      'www-authenticate',
      'Bearer realm="gatehouse", error="insufficient_scope", scope="openid"',
    )
    throw oauthRefusal('insufficient_scope', 'This token lacks the scope openid.')
  }
  return identityClaims(
    { ...user, email_verified: user.emailVerified ? 1 : 0, updated_at: user.updatedAt },
    credential.scopes,
  )
}
