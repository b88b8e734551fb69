import { decodeJwt } from 'jose'
import type { Call } from '../../../http/route.ts'
import { actorClaims, type Caller, isRestricted, tokenEndOf } from '../../../rules/caller.ts'
import { oauthRefusal, Refusal } from '../../../rules/refusal.ts'
import { PREFIX } from '../../../rules/tokens.ts'
import { findByAccessToken } from '../../people/callers/find-caller.ts'
import type { Client } from '../clients/client.ts'
import { authenticateSecretClient } from '../clients/clients.ts'
import { actingClaims, asProductsSee, isForProducts, subjectOf } from '../signed-tokens/for-products.ts'
import { callerOfSignedToken } from '../signed-tokens/reading.ts'
import type { Introspect } from './input.ts'

const INACTIVE = { active: false } as const

/**
 * RFC 7662. A token that has ended, is of another kind, or belongs to another application gets the same
 * response.
 */
export async function introspect(call: Call, { token, ...form }: Introspect) {
  const { platform } = call
  const client = await authenticateSecretClient(call, form)
  if (token === undefined) throw oauthRefusal('invalid_request', 'token is missing.')
  const found = await callerOf(call, client, token).catch(unlessUsedUp)
  call.exchange.grantCall?.presentedBy(client.id)
  const caller = found && (await asProductsSee(platform, found))
  if (!caller || isRestricted(caller)) return INACTIVE
  const { credential, user, actor } = caller
  const iss = platform.config.baseUrl
  const acting = await actingClaims(platform, caller)
  const common = { active: true, iss, aud: iss, iat: issuedAt(token, credential), kind: kindOf(credential), ...acting }
  if (credential.kind === 'session') {
    const exp = Math.floor(tokenEndOf(credential) / 1000)
    return { ...common, sub: user.id, username: user.email, sid: credential.id, exp, ...actorClaims(actor) }
  }
  const clientId = credential.act?.sub ?? credential.clientId
  const isOwn = clientId === client.id || credential.resource !== null
  if (!isOwn && !isForProducts(caller)) return INACTIVE
  // The application has lost every scope of the token.
  if (credential.scopes.length === 0) return INACTIVE
  const { id: sub, email: username } = subjectOf(caller)
  const showsEmail = credential.grantKind !== 'application' || credential.scopes.includes('email')
  return {
    ...common,
    aud: credential.resource ?? iss,
    token_type: 'Bearer',
    client_id: clientId,
    sub,
    ...(username !== '' && showsEmail && { username }),
    scope: credential.scopes.join(' '),
    ...(credential.sessionId !== null && { sid: credential.sessionId }),
    grant_id: credential.id,
    approval: credential.approval,
    ...actorClaims(actor, credential.act),
    exp: Math.floor(credential.tokenExpiresAt / 1000),
  }
}

function kindOf(credential: Caller['credential']) {
  return credential.kind === 'session' ? 'session' : credential.grantKind
}

/** The time in seconds. A signed token carries its own, and has been verified. */
function issuedAt(token: string, credential: Caller['credential']): number | undefined {
  if (token.startsWith('ey')) return decodeJwt(token).iat
  return credential.kind === 'grant' ? Math.floor(credential.tokenIssuedAt / 1000) : undefined
}

/** A session's own token is not for OAuth, but a signed token about a session is. */
async function callerOf(call: Call, client: Client, token: string): Promise<Caller | undefined> {
  if (token.startsWith('ey')) return callerOfSignedToken(call, token)
  if (!token.startsWith(PREFIX.access) && !token.startsWith(PREFIX.personal)) return undefined
  return findByAccessToken(call, token, (resource) => resource === null || resource === client.resource)
}

/** A 429 would tell the application to come back later with every token, and not only with this one. */
function unlessUsedUp(error: unknown): undefined {
  if (!(error instanceof Refusal && error.code === 'RATE_LIMITED')) throw error
}
