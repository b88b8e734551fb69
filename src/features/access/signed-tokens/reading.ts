import type { FindCaller } from '../../../http/find-caller.ts'
import type { Call } from '../../../http/route.ts'
import { type Caller, narrowedTo } from '../../../rules/caller.ts'
import { isOfActing } from '../../../rules/tokens.ts'
import { readSigned } from '../../ground/signing/signing.ts'
import { findByActing, findCaller, findCallerById } from '../../people/callers/find-caller.ts'
import { bearerTokenOf } from '../../people/sessions/cookie.ts'
import { admit } from '../grant-calls/admission.ts'
import { asProductsSee, subjectOf } from './for-products.ts'

/**
 * Finds the caller of any credential for a product, including signed tokens, which are valid while their session or
 * grant is.
 */
export const findCallerBehindProduct: FindCaller = async (platform, exchange) => {
  const token = bearerTokenOf(exchange)
  const caller = await callerOfAny({ platform, exchange }, token)
  return caller && asProductsSee(platform, caller)
}

function callerOfAny(call: Pick<Call, 'platform' | 'exchange'>, token: string | undefined) {
  if (token?.startsWith('ey')) return callerOfSignedToken(call, token)
  // A back end passes the cookie on as a bearer token, which an acting session is nowhere else.
  if (isOfActing(token)) return findByActing(call.platform, token)
  return findCaller(call.platform, call.exchange)
}

/**
 * Uses the token's own expiry if it is earlier, its scopes without those that the grant has lost, and the organisation
 * that it names, if its session has not gone on to another.
 */
export async function callerOfSignedToken(
  { platform, exchange }: Pick<Call, 'platform' | 'exchange'>,
  token: string,
): Promise<Caller | undefined> {
  const claims = await readSigned(platform, token, platform.config.baseUrl)
  const { sub, sid, kind, scope, org_id, exp = 0 } = claims ?? {}
  if (typeof sid !== 'string' || !(kind === 'session' || kind === 'grant')) return undefined
  const found = await findCallerById(platform, kind, sid)
  if (!found || subjectOf(found).id !== sub) return undefined
  const caller = { ...found, organization: found.organization?.id === org_id ? found.organization : undefined }
  const { credential } = caller
  const notAfterToken = (end: number) => Math.min(end, exp * 1_000)
  if (credential.kind === 'session') {
    return { ...caller, credential: { ...credential, tokenExpiresAt: notAfterToken(credential.expiresAt) } }
  }
  await admit(platform, exchange, credential)
  const signed = narrowedTo(credential, typeof scope === 'string' ? scope : '')
  return { ...caller, credential: { ...signed, tokenExpiresAt: notAfterToken(signed.tokenExpiresAt) } }
}
