import type { NewPasskey, PasskeyTable } from '../../../../database/schema/people/second-factor.ts'
import { ConstraintViolation } from '../../../../database/store.ts'
import type { Call, SignedInCall } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { newId } from '../../../../rules/ids.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import type { Act } from '../../../ground/acts/acts.ts'
import { brandName } from '../../../ground/settings/brand/brand.ts'
import { settingsOf } from '../../../ground/settings/current-settings.ts'
import { recountFactors } from '../../account/statements.ts'
import { decideSignedIn } from '../../sessions/sessions.ts'
import { refuseSwitchedOff } from '../enrolment.ts'
import { beginCeremony, type Ceremony } from './ceremony.ts'
import * as store from './store.ts'
import {
  orRefuse,
  type RegistrationResponse,
  refuseFramed,
  relyingParty,
  unattested,
  userHandleOf,
  webauthn,
} from './webauthn.ts'

interface NewOwner {
  readonly id: string
  readonly email: string
  readonly name: string
}

interface Requirements {
  readonly kind: Ceremony['kind']
  /** A passkey that is the only credential must verify its user. */
  readonly userVerification: 'required' | 'preferred'
  readonly attachment?: 'platform' | 'cross-platform' | undefined
}

export async function registrationOptions(call: Call, owner: NewOwner, requirements: Requirements) {
  const { platform } = call
  await refuseSwitchedOff(call)
  const settings = await settingsOf(call)
  const known = await store.passkeysOf(platform.meta, owner.id).execute()
  if (known.length >= store.MOST_PASSKEYS) throw tooMany()
  const { generateRegistrationOptions } = await webauthn()
  const { kind, userVerification, attachment } = requirements
  const account = { email: owner.email, name: owner.name }
  const options = await generateRegistrationOptions({
    rpName: brandName(platform.config, settings.brand),
    rpID: relyingParty(call).id,
    userID: userHandleOf(owner.id),
    userName: owner.email,
    userDisplayName: owner.name,
    challenge: beginCeremony(call, { kind, userId: owner.id, account }),
    excludeCredentials: known.map((row) => ({ id: row.credential_id, transports: transportsOf(row) })),
    authenticatorSelection: {
      residentKey: userVerification === 'required' ? 'required' : 'preferred',
      userVerification,
      ...(attachment && { authenticatorAttachment: attachment }),
    },
  })
  return { ...options }
}

/** 1,023 bytes in base64url: WebAuthn, section 7.1. PostgreSQL could not index much longer ones. */
const LONGEST_ID_CHARACTERS = 1_364

/** Makes every check of the specification and returns the row to store. */
export async function verifiedPasskey(
  call: Call,
  ceremony: Ceremony,
  response: RegistrationResponse,
  { name, userVerification }: { readonly name: string | undefined; readonly userVerification: boolean },
): Promise<NewPasskey> {
  await refuseSwitchedOff(call)
  const { verifyRegistrationResponse } = await webauthn()
  const { id, origins } = relyingParty(call)
  const { registrationInfo } = await orRefuse(call, async () => {
    refuseFramed(response)
    return verifyRegistrationResponse({
      response: {
        ...response,
        response: { ...response.response, attestationObject: await unattested(response) },
        authenticatorAttachment: response.authenticatorAttachment ?? null,
      } as never,
      expectedChallenge: ceremony.challenge,
      expectedOrigin: [...origins],
      expectedRPID: id,
      requireUserVerification: userVerification,
    })
  })
  if (!registrationInfo) throw new Refusal('INVALID_PASSKEY', 'The passkey was not accepted.')
  const { credential, aaguid, credentialDeviceType, credentialBackedUp, userVerified } = registrationInfo
  if (credential.id !== response.id || credential.id.length > LONGEST_ID_CHARACTERS) {
    throw new Refusal('INVALID_PASSKEY', 'The id of this passkey is too long, or is not the one it was sent with.')
  }
  // Checked for every address alike, so that it does not reveal whether a sign-up would have made an account.
  if (await store.passkeyByCredential(call.platform.meta, credential.id)) throw alreadyRegistered()
  return {
    id: newId(),
    user_id: ceremony.userId ?? '',
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    device_type: credentialDeviceType,
    is_backed_up: credentialBackedUp ? 1 : 0,
    is_user_verified: userVerified ? 1 : 0,
    transports: (response.response.transports ?? []).join(','),
    aaguid,
    rp_id: id,
    name: name ?? '',
    last_use: '',
    created_at: call.platform.now(),
  }
}

/**
 * Adds the first credential of a user, in the decision that creates or proves the account. If the passkey has been
 * registered meanwhile, nothing is written, and `refuseIfRegistered` says why.
 */
export function insertFirstPasskey(act: Act, { meta }: Platform, row: NewPasskey): void {
  const { user_id: id } = row
  act.write(store.insertPasskey(meta, row), ...recountFactors(meta, id))
  act.record('factor.first', { user: { id }, subject: { type: 'user', id }, data: { factor: 'passkey' } })
}

/** Adds the passkey to the signed-in user's account. */
export async function addPasskey(call: SignedInCall, row: NewPasskey): Promise<void> {
  const { meta } = call.platform
  const userId = call.caller.user.id
  await decideSignedIn(call, [store.passkeysOf(meta, userId)], async (act, user, passkeys) => {
    if (passkeys.length >= store.MOST_PASSKEYS) throw tooMany()
    act.write(store.insertPasskey(meta, row), ...recountFactors(meta, userId))
    const details = { factor: 'passkey', name: row.name }
    act.record('factor.add', {
      user,
      subject: { type: 'user', id: userId },
      details,
      letter: 'passkey added',
    })
  }).catch(refuseIfRegistered)
}

/** Handler for `catch` around adding a passkey: two simultaneous requests can both have found it new. */
export function refuseIfRegistered(error: unknown): never {
  const isTaken = error instanceof ConstraintViolation && error.kind === 'unique' && error.table === 'passkey'
  throw isTaken ? alreadyRegistered() : error
}

function alreadyRegistered(): Refusal {
  return new Refusal('INVALID_PASSKEY', 'This passkey is already registered.')
}

function tooMany(): Refusal {
  return new Refusal('QUOTA_EXCEEDED', `An account can have at most ${store.MOST_PASSKEYS} passkeys.`)
}

export function transportsOf({ transports }: Pick<PasskeyTable, 'transports'>): string[] {
  return transports === '' ? [] : transports.split(',')
}
