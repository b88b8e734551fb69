import type { Decision } from '../../../../database/decision.ts'
import type { AuthorizationRequestTable } from '../../../../database/schema/products/grants.ts'
import { type Meta, StoreUnavailable } from '../../../../database/store.ts'
import type { Call } from '../../../../http/route.ts'
import { oauthRefusal } from '../../../../rules/refusal.ts'
import type { GrantedScope } from '../../../../rules/scopes.ts'
import { newToken, tokenHash } from '../../../../rules/tokens.ts'
import { countUse } from '../../../ground/limits/limits.ts'
import { networkOf } from '../../../ground/limits/networks.ts'
import { type Client, DEVICE_GRANT, GRANT_TYPES } from '../../clients/client.ts'
import { heldClient, refuseOtherClient } from '../../clients/holding.ts'
import { findResource, foreignTarget } from '../../clients/resources.ts'
import type { DeviceAuthorization, TokenRequest } from '../input.ts'
import { pollIntervalSeconds, requestLifetimeSeconds } from '../lifetimes.ts'
import { requestedScopes } from '../requests/requested-scopes.ts'
import { newRequest } from '../requests/requests.ts'
import * as store from '../requests/store.ts'
import { newUserCode, shownUserCode } from '../requests/user-codes.ts'
import * as redeeming from './redeeming-store.ts'
import { refuseIfRestricted } from './restricted.ts'
import { grantWithUser } from './store.ts'
import { firstTokens, grantMade } from './tokens.ts'

export async function startDevice(call: Call, client: Client, { scope, resource: sent }: DeviceAuthorization) {
  if (!(GRANT_TYPES[client.kind] as readonly string[]).includes(DEVICE_GRANT))
    throw oauthRefusal('unauthorized_client', 'This client cannot use device codes.')
  const scopes = await requestedScopes(call.platform.meta, client, scope)
  if ('fault' in scopes) throw oauthRefusal('invalid_scope', scopes.fault)
  const resource = sent === undefined ? null : await findResource(call.platform, sent)
  if (resource === undefined) throw foreignTarget()
  const { address } = call.sender
  await countUse(call.platform, 'device-starts', networkOf(address) ?? address, 'temporarily_unavailable')
  const deviceCode = newToken('device')
  const userCode = shownUserCode(await insertWithFreeUserCode(call, client, { scopes, resource }, deviceCode))
  const page = `${call.platform.config.baseUrl}/oauth/authorize`
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: requestLifetimeSeconds,
    interval: pollIntervalSeconds,
  }
}

/** RFC 8628 section 3.5. */
export async function pollDevice(call: Call, client: Client, { device_code, resource }: TokenRequest) {
  if (device_code === undefined) throw oauthRefusal('invalid_request', 'device_code is missing.')
  const { meta } = call.platform
  const hash = tokenHash(device_code)
  await refuseIfRestricted(call.platform, client, () => redeeming.approverBehind(meta, { clientId: client.id, hash }))
  const tokens = firstTokens(call, client)
  const grant = await redeemIfApproved(call, client, hash, tokens.rows)
  if (grant === 'too fast') throw oauthRefusal('slow_down', 'Wait 5 seconds longer between polls from now on.')
  if (!grant) throw oauthRefusal('authorization_pending', 'The user has not decided yet.')
  return grantMade(call, client, grant, tokens, resource)
}

/**
 * A request is redeemed once, however many polls come at the same time. Undefined if nobody has decided yet, `too fast`
 * for an early poll.
 */
function redeemIfApproved({ platform }: Call, client: Client, hash: string, grant: redeeming.NewGrant) {
  const { meta, now } = platform
  return meta.decide(
    [heldClient(meta, client), ...redeeming.lockedDeviceRequest(meta, hash, client.id)],
    async (decision, clients, [user], [session], [request]) => {
      refuseOtherClient(client, clients)
      if (!request || request.state === 'redeemed')
        throw oauthRefusal('invalid_grant', 'This device code is unknown or has been used.')
      if (request.expires_at <= now()) throw oauthRefusal('expired_token', 'The request was not approved in time.')
      if (request.state === 'denied') throw oauthRefusal('access_denied', 'The user denied the request.')
      if (user && !session && needsSession(request)) throw oauthRefusal('access_denied', 'The user has signed out.')
      // Without a locked user, the request was begun only while this poll was being decided.
      if (request.state === 'pending' || !user) return notePoll(decision, meta, request, now())
      decision.write(...redeeming.redeemRequest(meta, request.id, grant, request.kind))
      return decision.first(grantWithUser(meta, grant.grantId))
    },
  )
}

/** Approvals for a tool outlive the session. */
function needsSession({
  state,
  kind,
  session_id,
}: Pick<AuthorizationRequestTable, 'state' | 'kind' | 'session_id'>): boolean {
  return session_id !== null && (state === 'pending' || kind === 'application')
}

function notePoll(
  decision: Decision,
  meta: Meta,
  { id, last_polled_at, interval_seconds }: Pick<AuthorizationRequestTable, 'id'> & redeeming.Polled,
  now: number,
): 'too fast' | undefined {
  const isTooFast = last_polled_at !== null && last_polled_at + interval_seconds * 1000 > now
  const nextInterval = isTooFast ? interval_seconds + 5 : interval_seconds
  decision.write(redeeming.notePoll(meta, id, { last_polled_at: now, interval_seconds: nextInterval }))
  return isTooFast ? 'too fast' : undefined
}

async function insertWithFreeUserCode(
  call: Call,
  client: Client,
  { scopes, resource }: { readonly scopes: readonly GrantedScope[]; readonly resource: string | null },
  deviceCode: string,
): Promise<string> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const user_code = newUserCode()
    const request = newRequest(call, client, 'device', scopes)
    const row = { ...request, resource, user_code, device_code_hash: tokenHash(deviceCode) }
    if (await store.insertRequest(call.platform.meta, row)) return user_code
  }
  throw new StoreUnavailable(call.platform.meta.name)
}

// There are 20^8 codes, and only those of the last ten minutes are taken: a second attempt is rare.
const MOST_ATTEMPTS = 10
