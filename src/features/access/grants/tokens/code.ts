import { createHash } from 'node:crypto'
import type { Call } from '../../../../http/route.ts'
import { oauthRefusal } from '../../../../rules/refusal.ts'
import { tokenHash } from '../../../../rules/tokens.ts'
import type { Client } from '../../clients/client.ts'
import type { TokenRequest } from '../input.ts'
import { revokeGrant } from '../revoking.ts'
import { decideAboutCode, giveGrant } from './redeeming.ts'
import * as store from './redeeming-store.ts'
import { refuseIfRestricted } from './restricted.ts'
import { firstTokens, handOutTokens } from './tokens.ts'

/** A code works once, within 60 s, with the verifier and the redirect URI it was made for. */
export async function redeemCode(
  call: Call,
  client: Client,
  { code, redirect_uri, code_verifier, resource }: TokenRequest,
) {
  if (code === undefined) throw oauthRefusal('invalid_request', 'code is missing.')
  if (redirect_uri === undefined) throw oauthRefusal('invalid_request', 'redirect_uri is missing.')
  if (code_verifier === undefined && client.requiresPkce)
    throw oauthRefusal('invalid_request', 'code_verifier is missing.')
  if (!client.hasRedirect(redirect_uri)) throw refused()

  const { meta } = call.platform
  const sent = { column: 'code_hash', hash: tokenHash(code), clientId: client.id } as const
  await refuseIfRestricted(call.platform, client, () => store.approverBehind(meta, sent))
  const tokens = firstTokens(call)
  const challenge = challengeOf(code_verifier)
  const grant = await decideAboutCode(call, client, sent, async (act, found) => {
    if (found.state !== 'approved') return undefined
    const { request } = found
    const isMatch = request.redirect_uri === redirect_uri && (request.code_challenge ?? '') === challenge
    return isMatch ? giveGrant(call, act, found, tokens, 'authorization_code') : undefined
  })
  if (grant) return handOutTokens(call, client, grant, tokens, resource)
  const former = await store.grantOfUsedCode(meta, sent)
  if (former) await revokeGrant(call, former, 'its code was used twice', client)
  throw refused()
}

/** RFC 7636 section 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/

/**
 * Empty without a verifier, as is stored for a code requested without a challenge: a verifier without a challenge does
 * not match, nor the reverse. A short verifier could be guessed from its challenge, so it matches none.
 */
function challengeOf(verifier = ''): string {
  if (verifier === '') return ''
  return VERIFIER.test(verifier) ? createHash('sha256').update(verifier).digest('base64url') : 'malformed'
}

function refused() {
  return oauthRefusal(
    'invalid_grant',
    'This code is unknown, has expired, was already used, or was issued for other parameters.',
  )
}
