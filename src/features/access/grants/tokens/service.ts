import { v7 as newId } from 'uuid'
import type { Call } from '../../../../http/route.ts'
import { oauthRefusal } from '../../../../rules/refusal.ts'
import { DAY_MILLISECONDS } from '../../../../rules/time.ts'
import { newToken, tokenHash } from '../../../../rules/tokens.ts'
import type { Client } from '../../clients/client.ts'
import { findResource, foreignTarget } from '../../clients/resources.ts'
import { areDeclared } from '../../product-scopes/product-scopes.ts'
import type { TokenRequest, Tokens } from '../input.ts'
import { accessLifetimeSeconds } from '../lifetimes.ts'
import { askedOf } from '../requests/requested-scopes.ts'
import { refuseIfRestricted } from './restricted.ts'
import * as store from './service-store.ts'
import { tokenAnswer } from './tokens.ts'

/**
 * One grant is reused for a while, so that a service that asks for tokens every 15 minutes does not leave
 * hundreds of grants.
 */
const GRANT_MILLISECONDS = 30 * DAY_MILLISECONDS

/** RFC 6749 section 4.4: the service's own access, with scopes of the administrator's choice. */
export async function serviceTokens(
  { platform }: Call,
  client: Client,
  { scope, resource: sent }: TokenRequest,
): Promise<Tokens> {
  const { meta, now, config } = platform
  const asked = scope === undefined ? client.scopes : askedOf(client.kind, scope)
  const scopes = client.scopes.filter((one) => asked.includes(one))
  if (client.scopes.length === 0) {
    throw oauthRefusal('invalid_scope', 'This service has no scopes; the administrator can give it some.')
  }
  if (scopes.length === 0 || scopes.length !== asked.length || !(await areDeclared(meta, scopes))) {
    throw oauthRefusal('invalid_scope', 'The administrator has not given this service all of these scopes.')
  }
  const resource = sent === undefined ? null : await findResource(platform, sent)
  if (resource === undefined) throw foreignTarget()
  await refuseIfRestricted(platform, client, () => store.administratorBehind(meta))
  const access = newToken('access')
  const lifetimeMilliseconds = accessLifetimeSeconds * 1000
  const isIssued = await store.insertServiceToken(meta, client, {
    clientId: client.id,
    clientName: client.name,
    targetOrigin: config.baseUrl,
    newGrantId: newId(),
    eventId: newId(),
    scopes: scopes.join(' '),
    resource,
    grantScopes: client.scopes.join(' '),
    accessHash: tokenHash(access),
    now: now(),
    accessExpiresAt: now() + lifetimeMilliseconds,
    grantExpiresAt: now() + GRANT_MILLISECONDS,
  })
  if (!isIssued)
    throw oauthRefusal('temporarily_unavailable', 'This service acts for the administrator, and there is none yet.')
  return tokenAnswer({ access, refresh: undefined, scopes, kind: 'service', lifetimeMilliseconds })
}
