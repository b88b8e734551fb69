import type { Call } from '../../../http/route.ts'
import { oauthRefusal } from '../../../rules/refusal.ts'
import { client } from '../client.ts'
import type { TokenRequest, Tokens } from '../input.ts'
import { DEVICE_GRANT } from '../metadata.ts'
import { redeemCode } from './code.ts'
import { pollDevice } from './device.ts'
import { refresh } from './refresh.ts'

export async function answerTokenRequest(call: Call, form: TokenRequest): Promise<Tokens> {
  call.exchange.setHeader('pragma', 'no-cache')
  requireClient(call, form.client_id)
  switch (form.grant_type) {
    case 'authorization_code':
      return redeemCode(call, form)
    case 'refresh_token':
      return refresh(call, form)
    case DEVICE_GRANT:
      return pollDevice(call, form)
    case undefined:
      throw oauthRefusal('invalid_request', 'grant_type is missing.')
    default:
      throw oauthRefusal('unsupported_grant_type', 'This kind of grant is not offered.')
  }
}

/** A public client names itself and proves nothing; a client that sends a secret is another one. */
export function requireClient({ exchange }: Call, clientId: string | undefined): void {
  if (exchange.header('authorization') !== undefined) {
    exchange.setHeader('www-authenticate', 'Basic')
    throw oauthRefusal(
      'invalid_client',
      `This client has no secret; send client_id=${client.id} in the form.`,
    )
  }
  if (clientId !== client.id)
    throw oauthRefusal('invalid_client', `This client is not known; the one client here is ${client.id}.`)
}
