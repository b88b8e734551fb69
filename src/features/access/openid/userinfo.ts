import type { Call } from '../../../http/route.ts'
import { isRestricted } from '../../../rules/caller.ts'
import { oauthRefusal } from '../../../rules/refusal.ts'
import { findByAccessToken, isHere } from '../../people/callers/find-caller.ts'
import { actableBy } from '../../people/memberships/statements.ts'
import { bearerTokenOf } from '../../people/sessions/cookie.ts'
import { identityClaims } from '../grants/identity-claims.ts'

/** OpenID Connect Core section 5.3. The access token comes in the header or in the form. */
export async function userInfo({ platform, exchange }: Call, inForm: string | undefined) {
  const inHeader = bearerTokenOf(exchange)
  // RFC 6750 section 2: one way at a time.
  if (inHeader !== undefined && inForm !== undefined)
    throw oauthRefusal('invalid_request', 'Send the access token in the header or in the form, not in both.')
  const token = inHeader ?? inForm
  const isSent = token !== undefined
  const caller = isSent ? await findByAccessToken({ platform, exchange }, token, isHere) : undefined
  if (caller) exchange.hasCaller = true
  if (!caller) {
    // RFC 6750 section 3.1: no error for a request without a token.
    const error = isSent ? ', error="invalid_token"' : ''
    exchange.setHeader('www-authenticate', `Bearer realm="gatehouse"${error}`)
    throw oauthRefusal('invalid_token', 'Send a valid access token as a bearer token.')
  }
  const { user, credential } = caller
  if (!credential.scopes.includes('openid') || isRestricted(caller)) {
    exchange.setHeader('www-authenticate', 'Bearer realm="gatehouse", error="insufficient_scope", scope="openid"')
    throw oauthRefusal('insufficient_scope', 'This token lacks the scope openid.')
  }
  return {
    ...identityClaims(platform, user, credential.scopes, caller.organization),
    ...(credential.scopes.includes('organizations') && { organizations: await shownOrganizations(platform, user.id) }),
  }
}

const MOST_ORGANIZATIONS = 50

/** Those that joined first come first; suspended ones are left out. */
async function shownOrganizations({ meta }: Call['platform'], userId: string) {
  const rows = await actableBy(meta.primary, userId).limit(MOST_ORGANIZATIONS).execute()
  return rows.map(({ id, slug, name, roles }) => ({ id, slug, name, roles: roles.split(',') }))
}
