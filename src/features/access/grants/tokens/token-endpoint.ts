import type { Call } from '../../../../http/route.ts'
import { oauthRefusal } from '../../../../rules/refusal.ts'
import { type Client, GRANT_TYPES, TOKEN_EXCHANGE } from '../../clients/client.ts'
import { byClient } from '../../clients/holding.ts'
import type { TokenRequest, Tokens } from '../input.ts'
import { redeemCode } from './code.ts'
import { pollDevice } from './device.ts'
import { exchangeToken, type FindByToken } from './exchange.ts'
import { refresh } from './refresh.ts'
import { serviceTokens } from './service.ts'

export async function answerTokenRequest(call: Call, form: TokenRequest, findByToken: FindByToken): Promise<Tokens> {
  call.exchange.setHeader('pragma', 'no-cache')
  return byClient(call, form, (client) => tokensFor(call, client, form, findByToken))
}

function tokensFor(call: Call, client: Client, form: TokenRequest, findByToken: FindByToken): Promise<Tokens> {
  requireGrantType(client, form.grant_type)
  switch (form.grant_type) {
    case 'authorization_code':
      return redeemCode(call, client, form)
    case 'refresh_token':
      return refresh(call, client, form)
    case 'client_credentials':
      return serviceTokens(call, client, form)
    case TOKEN_EXCHANGE:
      return exchangeToken(call, client, form, findByToken)
    default:
      return pollDevice(call, client, form)
  }
}

const KNOWN: ReadonlySet<string> = new Set(Object.values(GRANT_TYPES).flat())

/** RFC 6749 section 5.2. For the command-line client, a grant type that it cannot use counts as unsupported. */
function requireGrantType({ kind }: Client, grantType: string | undefined): void {
  if (grantType === undefined) throw oauthRefusal('invalid_request', 'grant_type is missing.')
  const offered: readonly string[] = GRANT_TYPES[kind]
  if (offered.includes(grantType)) return
  if (kind !== 'tool' && KNOWN.has(grantType))
    throw oauthRefusal('unauthorized_client', 'An application of this kind cannot use this grant type.')
  throw oauthRefusal('unsupported_grant_type', 'This grant type is not supported.')
}
