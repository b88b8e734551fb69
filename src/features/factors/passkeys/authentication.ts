import { v7 as newId } from 'uuid'
import type { PasskeyTable } from '../../../database/schema/factors.ts'
import type { Call } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import type { Proof } from '../../sessions/second-step/second-step.ts'
import { beginCeremony, takeCeremony } from './ceremony.ts'
import { transportsOf } from './registration.ts'
import * as store from './store.ts'
import { type AuthenticationResponse, orRefuse, relyingParty, webauthn } from './webauthn.ts'

/** For one user's passkeys if that user is known, else for any that the browser has. */
export async function authenticationOptions(call: Call, userId: string | undefined) {
  const { generateAuthenticationOptions } = await webauthn()
  const known = userId === undefined ? [] : await store.passkeysOf(call.platform.meta, userId)
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(call).id,
    challenge: beginCeremony(call, { kind: 'authentication', ...(userId !== undefined && { userId }) }),
    allowCredentials: known.map((row) => ({ id: row.credential_id, transports: transportsOf(row) })),
    userVerification: userId === undefined ? 'required' : 'preferred',
  })
  return { ...options }
}

interface Shown {
  readonly userId: string
  readonly passkeyId: string
  /** The authenticator has checked who its user is: counts as both factors. */
  readonly isUserVerified: boolean
  readonly proof: Proof
}

/** Origin, relying party, challenge, signature and counter have been checked; the proof counts once. */
export async function shownPasskey(call: Call, response: AuthenticationResponse): Promise<Shown> {
  const { platform } = call
  const ceremony = await takeCeremony(call, 'authentication')
  const row = await store.passkeyByCredential(platform.meta, response.id)
  if (!row || (ceremony.userId !== undefined && row.user_id !== ceremony.userId)) {
    throw new Refusal('PASSKEY_NOT_FOUND', 'This passkey is not known here.')
  }
  refuseForeignHandle(row, response)
  const { authenticationInfo } = await verified(call, row, response, ceremony.challenge)
  const use = {
    id: newId(),
    counter: authenticationInfo.newCounter,
    isBackedUp: authenticationInfo.credentialBackedUp ? 1 : 0,
    now: platform.now(),
  } as const
  return {
    userId: row.user_id,
    passkeyId: row.id,
    isUserVerified: authenticationInfo.userVerified,
    proof: {
      spend: store.spendPasskey(platform.meta, row, use),
      isRight: store.passkeyUsedBy(platform.meta, row.id, use.id),
    },
  }
}

async function verified(
  call: Call,
  row: PasskeyTable,
  response: AuthenticationResponse,
  expectedChallenge: string,
) {
  const { verifyAuthenticationResponse } = await webauthn()
  const { id, origins } = relyingParty(call)
  const answer = await orRefuse(call, () =>
    verifyAuthenticationResponse({
      response: response as never,
      expectedChallenge,
      expectedOrigin: [...origins],
      expectedRPID: id,
      credential: {
        id: row.credential_id,
        publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
        counter: row.counter,
        transports: transportsOf(row),
      },
      requireUserVerification: false,
    }),
  )
  if (!answer.verified) throw new Refusal('INVALID_PASSKEY', 'The passkey was not accepted.')
  return answer
}

function refuseForeignHandle(row: PasskeyTable, { response }: AuthenticationResponse): void {
  const { userHandle } = response
  if (!userHandle || Buffer.from(userHandle, 'base64url').toString() === row.user_id) return
  throw new Refusal('INVALID_PASSKEY', 'The passkey belongs to somebody else.')
}
