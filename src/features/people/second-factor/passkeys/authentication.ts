import type { PasskeyTable } from '../../../../database/schema/people/second-factor.ts'
import type { Call } from '../../../../http/route.ts'
import { newId } from '../../../../rules/ids.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { DAY_SECONDS } from '../../../../rules/time.ts'
import { decideAboutUser } from '../../../ground/acts/acts.ts'
import type { Proof } from '../../sessions/pending.ts'
import { beginCeremony, takeCeremony } from './ceremony.ts'
import { transportsOf } from './registration.ts'
import * as store from './store.ts'
import {
  type AuthenticationResponse,
  orRefuse,
  refuseFramed,
  relyingParty,
  userHandleOf,
  webauthn,
} from './webauthn.ts'

/** Allows the passkeys of a known user, otherwise any that the browser has. */
export async function authenticationOptions(call: Call, userId: string | undefined) {
  const { generateAuthenticationOptions } = await webauthn()
  const known = userId === undefined ? [] : await store.passkeysOf(call.platform.meta, userId).execute()
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(call).id,
    challenge: beginCeremony(call, { kind: 'authentication', ...(userId !== undefined && { userId }) }),
    allowCredentials: known.map((row) => ({ id: row.credential_id, transports: transportsOf(row) })),
    userVerification: userId === undefined ? 'required' : 'preferred',
  })
  return { ...options }
}

interface ShownPasskey {
  readonly userId: string
  readonly passkeyId: string
  /** The authenticator has verified its user, so the passkey counts as both factors. */
  readonly isUserVerified: boolean
  readonly proof: Proof
}

/** Origin, relying party, challenge, signature and counter have been checked; the proof can be used once. */
export async function shownPasskey(call: Call, response: AuthenticationResponse): Promise<ShownPasskey> {
  const { platform } = call
  const ceremony = await takeCeremony(call, 'authentication')
  const row = await store.passkeyByCredential(platform.meta, response.id)
  if (!row || (ceremony.userId !== undefined && row.user_id !== ceremony.userId)) {
    throw new Refusal('PASSKEY_NOT_FOUND', 'This passkey is not registered here.')
  }
  refuseForeignHandle(row, response)
  const { authenticationInfo } = await verified(call, row, response, ceremony.challenge)
  await refuseCopy(call, row, authenticationInfo.newCounter)
  const use = {
    id: newId(),
    counter: authenticationInfo.newCounter,
    isBackedUp: authenticationInfo.credentialBackedUp ? 1 : 0,
    isUserVerified: authenticationInfo.userVerified,
    now: platform.now(),
  } as const
  return {
    userId: row.user_id,
    passkeyId: row.id,
    isUserVerified: authenticationInfo.userVerified,
    proof: store.spendPasskey(platform.meta, row, use),
  }
}

async function verified(call: Call, row: PasskeyTable, response: AuthenticationResponse, expectedChallenge: string) {
  const { verifyAuthenticationResponse } = await webauthn()
  const { id, origins } = relyingParty(call)
  const answer = await orRefuse(call, async () => {
    refuseFramed(response)
    return verifyAuthenticationResponse({
      response: response as never,
      expectedChallenge,
      expectedOrigin: [...origins],
      expectedRPID: id,
      credential: {
        id: row.credential_id,
        publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
        // Compared below, to tell a copied passkey from a wrong response.
        counter: 0,
        transports: transportsOf(row),
      },
      requireUserVerification: false,
    })
  })
  if (!answer.verified) throw new Refusal('INVALID_PASSKEY', 'The passkey was not accepted.')
  return answer
}

function refuseForeignHandle(row: PasskeyTable, { response }: AuthenticationResponse): void {
  const { userHandle } = response
  if (!userHandle || userHandleOf(row.user_id).equals(Buffer.from(userHandle, 'base64url'))) return
  throw new Refusal('INVALID_PASSKEY', 'The passkey belongs to another user.')
}

/**
 * If the signature is valid but the counter is not beyond the last one, two devices have this key. The owner gets
 * a letter, at most once a day.
 */
async function refuseCopy(call: Call, row: PasskeyTable, counter: number): Promise<void> {
  if ((counter === 0 && row.counter === 0) || counter > row.counter) return
  const { platform } = call
  const isFirstToday = await platform.keyValue.setIfAbsent(`passkey-copy:${row.id}`, '', DAY_SECONDS)
  await decideAboutUser(call, row.user_id, [], async (act, user) => {
    act.record('factor.copy_refused', {
      user,
      subject: { type: 'user', id: user.id },
      details: { name: row.name },
      name: row.name === '' ? { addedAt: row.created_at } : row.name,
      letter: isFirstToday ? 'passkey copied' : undefined,
    })
  })
  throw new Refusal('INVALID_PASSKEY', 'This passkey seems to have been copied. Sign in with another method.')
}
