import { createHash } from 'node:crypto'
import type { Call } from '../../../../http/route.ts'
import { oauthRefusal } from '../../../../rules/refusal.ts'
import { tokenHash } from '../../../../rules/tokens.ts'
import type { Client } from '../../clients/client.ts'
import type { TokenRequest } from '../input.ts'
import { revokeGrant } from '../revoking.ts'
import * as store from './redeeming-store.ts'
import { refuseIfRestricted } from './restricted.ts'
import { firstTokens, grantMade } from './tokens.ts'

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

  const tokens = firstTokens(call, client)
  const presented = {
    clientId: client.id,
    codeHash: tokenHash(code),
    redirectUri: redirect_uri,
    codeChallenge: challengeOf(code_verifier),
  }
  const { meta } = call.platform
  const approved = { clientId: client.id, hash: presented.codeHash }
  await refuseIfRestricted(call.platform, client, () => store.approverBehind(meta, approved))
  const grant = await store.redeemAuthorizationCode(meta, client, presented, tokens.rows)
  if (grant) return grantMade(call, client, grant, tokens, resource)
  const former = await store.grantOfUsedCode(meta, approved)
  if (former) await revokeGrant(call, former, 'its code was used twice', client)
  throw refused()
}

/** RFC 7636 section 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/

/**
 * Empty without a verifier, as it is stored for a code that was requested without a challenge: neither fits the other.
 * A short verifier could be guessed from its challenge, so it fits none.
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
