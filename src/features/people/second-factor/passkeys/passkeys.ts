import { Asked } from '../../../../database/asking.ts'
import type { PasskeyTable } from '../../../../database/schema/people/second-factor.ts'
import type { Call, SignedInCall } from '../../../../http/route.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { iso } from '../../../../rules/time.ts'
import { lacksVerification } from '../../../../rules/verification.ts'
import { type AskedProduct, askHook, type HookQuestion } from '../../../ground/hooks/asking.ts'
import { bySettings } from '../../../ground/settings/current-settings.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import { emailNotVerified } from '../../account/email-rules.ts'
import { rememberBrowser, usersOfBrowser } from '../../account/known-browser.ts'
import { usableAccount } from '../../account/providers/linking.ts'
import { hasProviderAccount } from '../../account/statements.ts'
import { wireKnownUser } from '../../account/wire.ts'
import { findCaller } from '../../callers/find-caller.ts'
import { openSession } from '../../sessions/opening.ts'
import { findPendingSignIn } from '../../sessions/pending.ts'
import { getUser } from '../../users/users.ts'
import type { AuthenticationWish, Passkey } from '../input.ts'
import { finishSignIn } from '../second-step.ts'
import { authenticationOptions, shownPasskey } from './authentication.ts'
import { takeCeremony } from './ceremony.ts'
import { removePasskey, renamePasskey } from './keeping.ts'
import { addPasskey, registrationOptions, verifiedPasskey } from './registration.ts'
import * as store from './store.ts'
import type { AuthenticationResponse, RegistrationResponse } from './webauthn.ts'

export async function beginRegistration(call: SignedInCall, attachment: 'platform' | 'cross-platform' | undefined) {
  return registrationOptions(call, call.caller.user, {
    kind: 'registration',
    userVerification: 'preferred',
    attachment,
  })
}

export async function finishRegistration(
  call: SignedInCall,
  { response, name }: { readonly response: RegistrationResponse; readonly name?: string | undefined },
) {
  const ceremony = await takeCeremony(call, 'registration')
  if (ceremony.userId !== call.caller.user.id) {
    throw new Refusal('INVALID_PASSKEY', 'Another user began this in this browser. Try again.')
  }
  const row = await verifiedPasskey(call, ceremony, response, { name, userVerification: false })
  await addPasskey(call, row)
  return wirePasskey({ ...row, last_used_at: null })
}

/** Serves the second step of a sign-in, a signed-in user, or anyone with a passkey for this site. */
export async function beginAuthentication(call: Call, { account }: AuthenticationWish) {
  const pending = await findPendingSignIn(call)
  if (pending) return authenticationOptions(call, pending.user_id)
  if (account === 'another') return authenticationOptions(call, undefined)
  const caller = await findCaller(call.platform, call.exchange)
  return authenticationOptions(call, caller?.credential.kind === 'session' ? caller.user.id : undefined)
}

/** A passkey that has verified its user counts as both factors. */
export async function finishAuthentication(call: Call, response: AuthenticationResponse) {
  call.exchange.signsIn = true
  const shown = await shownPasskey(call, response)
  const pending = await findPendingSignIn(call)
  if (pending?.user_id === shown.userId) {
    const done = await finishSignIn(call, pending, shown.proof, { by: 'passkey', trustDevice: false })
    if (done) return done
    throw usedMeanwhile()
  }
  if (!shown.isUserVerified) {
    throw new Refusal('INVALID_PASSKEY', 'Sign in with your password first: this passkey does not check who you are.')
  }
  const asked = new Asked((question: HookQuestion) => askHook(call, 'before_sign_in', question))
  const opening = await bySettings(call.platform, (settings) => openedAlone(call, settings, shown, asked))
  if (!opening?.session) throw usedMeanwhile()
  rememberBrowser(call, { id: shown.userId })
  const user = await getUser(call.platform.meta, shown.userId)
  return { redirect: false, token: opening.session.token, user: await wireKnownUser(call.platform, user) }
}

async function openedAlone(
  call: Call,
  settings: Settings,
  { userId, proof }: Awaited<ReturnType<typeof shownPasskey>>,
  asked: AskedProduct,
) {
  await refuseUnverified(call, settings, userId)
  return openSession(call, {
    userId,
    by: 'passkey',
    counts: 'as both factors',
    proof,
    isKnownBrowser: usersOfBrowser(call).includes(userId),
    settings,
    asked,
  })
}

/** Applies the rule for passwords. A user who signs in with a provider need not verify an address here. */
async function refuseUnverified({ platform }: Call, { authentication }: Settings, userId: string): Promise<void> {
  if (!authentication.email_verification_required) return
  const user = await getUser(platform.meta, userId)
  if (lacksVerification(authentication, user) && !(await hasProviderAccount(platform.meta, userId)))
    throw emailNotVerified()
}

export async function listMyPasskeys({ platform, caller }: SignedInCall): Promise<Passkey[]> {
  return (await store.passkeysOf(platform.meta, caller.user.id).execute()).map(wirePasskey)
}

export async function renameMyPasskey(call: SignedInCall, id: string, name: string) {
  return { passkey: wirePasskey(await renamePasskey(call, id, name)) }
}

/** Refuses to remove the last way to sign in. */
export async function removeMyPasskey(call: SignedInCall, id: string) {
  const { platform, caller } = call
  await removePasskey(call, id, await usableAccount(platform, caller.user.id))
  return { status: true as const }
}

export function wirePasskey(row: PasskeyTable): Passkey {
  return {
    id: row.id,
    name: row.name,
    userId: row.user_id,
    publicKey: row.public_key,
    credentialID: row.credential_id,
    counter: row.counter,
    deviceType: row.device_type,
    backedUp: row.is_backed_up === 1,
    transports: row.transports,
    aaguid: row.aaguid,
    createdAt: iso(row.created_at),
    lastUsedAt: row.last_used_at === null ? null : iso(row.last_used_at),
  }
}

function usedMeanwhile(): Refusal {
  return new Refusal('INVALID_PASSKEY', 'This passkey was used or changed at the same time. Try again.')
}
