import type { Call } from '../../../../http/route.ts'
import { newId } from '../../../../rules/ids.ts'
import { oauthRefusal } from '../../../../rules/refusal.ts'
import { DAY_MILLISECONDS } from '../../../../rules/time.ts'
import { newToken, tokenHash } from '../../../../rules/tokens.ts'
import { decide } from '../../../ground/acts/acts.ts'
import type { Client } from '../../clients/client.ts'
import { heldClient, refuseOtherClient } from '../../clients/holding.ts'
import { findResource, foreignTarget } from '../../clients/resources.ts'
import { areDeclared } from '../../product-scopes/product-scopes.ts'
import type { TokenRequest, Tokens } from '../input.ts'
import { accessLifetimeSeconds } from '../lifetimes.ts'
import { askedOf } from '../requests/requested-scopes.ts'
import { insertGrant } from './redeeming-store.ts'
import { refuseIfRestricted } from './restricted.ts'
import * as store from './service-store.ts'
import { insertAccessToken } from './store.ts'
import { tokenAnswer } from './tokens.ts'

/**
 * One grant is reused for a while, so that a service that asks for tokens every 15 minutes does not leave
 * hundreds of grants.
 */
const GRANT_MILLISECONDS = 30 * DAY_MILLISECONDS

/** RFC 6749 section 4.4: the service's own access, with scopes that the administrator has given it. */
export async function serviceTokens(
  call: Call,
  client: Client,
  { scope, resource: sent }: TokenRequest,
): Promise<Tokens> {
  const { platform } = call
  const { meta, now } = platform
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
  const token = {
    clientId: client.id,
    scopes: scopes.join(' '),
    resource,
    grantScopes: client.scopes.join(' '),
    accessHash: tokenHash(access),
    now: now(),
    accessExpiresAt: now() + lifetimeMilliseconds,
  }
  const isIssued = (await store.insertServiceToken(meta, client, token)) || (await issueFirst(call, client, token))
  if (!isIssued)
    throw oauthRefusal('temporarily_unavailable', 'This service acts for the administrator, and there is none yet.')
  return tokenAnswer({ access, refresh: undefined, scopes, kind: 'service', lifetimeMilliseconds })
}

/** Grants the service access as the administrator, with its first token. Returns false without an administrator. */
function issueFirst(call: Call, client: Client, token: store.ServiceToken): Promise<boolean> {
  const { meta, config } = call.platform
  const { scopes, resource, grantScopes, accessHash, now, accessExpiresAt } = token
  const first = [heldClient(meta, client), ...store.lockedFirstGrant(meta, token)] as const
  return decide(call, first, async (act, clients, [administrator], [active]) => {
    refuseOtherClient(client, clients)
    if (!administrator) return false
    const id = active?.id ?? newId()
    if (!active) {
      const whose = {
        user_id: administrator.id,
        client_id: client.id,
        client_name: client.name,
        kind: 'service',
      } as const
      const what = {
        target_origin: config.baseUrl,
        scopes: grantScopes,
        is_offline: 0,
        session_id: null,
        organization_id: null,
      } as const
      const times = { auth_time: null, created_at: now, expires_at: now + GRANT_MILLISECONDS }
      act.write(insertGrant(meta, { id, ...whose, ...what, ...times, resource: null }))
      act.record('grant.created', { user: administrator, data: { id, client_id: client.id, scopes: grantScopes } })
    }
    const issued = { token_hash: accessHash, grant_id: id, scopes, resource, created_at: now }
    act.write(store.keepInUse(meta, token), insertAccessToken(meta, { ...issued, expires_at: accessExpiresAt }))
    return true
  })
}
