import type { FindCaller } from '../../../http/find-caller.ts'
import type { Call } from '../../../http/route.ts'
import { type Caller, narrowedTo } from '../../../rules/caller.ts'
import { readSigned } from '../../ground/signing/signing.ts'
import { findCaller, findCallerById } from '../../people/callers/find-caller.ts'
import { bearerTokenOf } from '../../people/sessions/cookie.ts'
import { admit } from '../grant-calls/admission.ts'
import { asProductsSee, subjectOf } from './for-products.ts'

/**
 * Finds the caller of any credential for a product, including signed tokens, which are valid while their session or
 * grant is.
 */
export const findCallerBehindProduct: FindCaller = async (platform, exchange) => {
  const token = bearerTokenOf(exchange)
  const isSigned = token?.startsWith('ey') === true
  const caller = isSigned
    ? await callerOfSignedToken({ platform, exchange }, token)
    : await findCaller(platform, exchange)
  return caller && asProductsSee(platform, caller)
}

/** Uses the token's own expiry if it is earlier, and its scopes without those that the grant has lost. */
export async function callerOfSignedToken(
  { platform, exchange }: Pick<Call, 'platform' | 'exchange'>,
  token: string,
): Promise<Caller | undefined> {
  const claims = await readSigned(platform, token, platform.config.baseUrl)
  const { sub, sid, kind, scope, exp = 0 } = claims ?? {}
  if (typeof sid !== 'string' || !(kind === 'session' || kind === 'grant')) return undefined
  const caller = await findCallerById(platform, kind, sid)
  if (!caller || subjectOf(caller).id !== sub) return undefined
  const { credential } = caller
  const notAfterToken = (end: number) => Math.min(end, exp * 1_000)
  if (credential.kind === 'session') {
    return { ...caller, credential: { ...credential, expiresAt: notAfterToken(credential.expiresAt) } }
  }
  await admit(platform, exchange, credential)
  const signed = narrowedTo(credential, typeof scope === 'string' ? scope : '')
  return { ...caller, credential: { ...signed, tokenExpiresAt: notAfterToken(signed.tokenExpiresAt) } }
}
