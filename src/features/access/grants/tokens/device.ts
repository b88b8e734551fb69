import { StoreUnavailable } from '../../../../database/store.ts'
import type { Call } from '../../../../http/route.ts'
import { networkOf } from '../../../../rules/networks.ts'
import { oauthRefusal } from '../../../../rules/refusal.ts'
import type { GrantedScope } from '../../../../rules/scopes.ts'
import { newToken, tokenHash } from '../../../../rules/tokens.ts'
import type { Act } from '../../../ground/acts/acts.ts'
import { countUse } from '../../../ground/limits/limits.ts'
import { type Client, DEVICE_GRANT, GRANT_TYPES } from '../../clients/client.ts'
import { findResource, foreignTarget } from '../../clients/resources.ts'
import type { DeviceAuthorization, TokenRequest } from '../input.ts'
import { pollIntervalSeconds, requestLifetimeSeconds } from '../lifetimes.ts'
import { requestedScopes } from '../requests/requested-scopes.ts'
import { newRequest } from '../requests/requests.ts'
import * as store from '../requests/store.ts'
import { newUserCode, shownUserCode } from '../requests/user-codes.ts'
import { decideAboutCode, giveGrant } from './redeeming.ts'
import * as redeeming from './redeeming-store.ts'
import { refuseIfRestricted } from './restricted.ts'
import { firstTokens, handOutTokens } from './tokens.ts'

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
  const sent = { column: 'device_code_hash', hash: tokenHash(device_code), clientId: client.id } as const
  await refuseIfRestricted(call.platform, client, () => redeeming.approverBehind(meta, sent))
  const tokens = firstTokens(call)
  const grant = await decideAboutCode(call, client, sent, async (act, found) => {
    if (found.state === 'approved') return giveGrant(call, act, found, tokens, DEVICE_GRANT)
    if (found.state === 'pending') return notePoll(call, act, found.request)
    throw REFUSED[found.state]()
  })
  if (grant === 'too fast') throw oauthRefusal('slow_down', 'Wait 5 seconds longer between polls from now on.')
  if (!grant) throw oauthRefusal('authorization_pending', 'The user has not decided yet.')
  return handOutTokens(call, client, grant, tokens, resource)
}

const REFUSED = {
  'unknown or used': () => oauthRefusal('invalid_grant', 'This device code is unknown or has been used.'),
  expired: () => oauthRefusal('expired_token', 'The request was not approved in time.'),
  denied: () => oauthRefusal('access_denied', 'The user denied the request.'),
  'signed out': () => oauthRefusal('access_denied', 'The user has signed out.'),
}

function notePoll(
  { platform: { meta, now } }: Call,
  act: Act,
  { id, last_polled_at, interval_seconds }: redeeming.LockedRequest,
): 'too fast' | undefined {
  const isTooFast = last_polled_at !== null && last_polled_at + interval_seconds * 1000 > now()
  const nextInterval = isTooFast ? interval_seconds + 5 : interval_seconds
  act.write(redeeming.notePoll(meta, id, { last_polled_at: now(), interval_seconds: nextInterval }))
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
