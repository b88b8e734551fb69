import { Asked } from '../../../../database/asking.ts'
import type { NewPasskey } from '../../../../database/schema/people/second-factor.ts'
import type { Call } from '../../../../http/route.ts'
import { newId } from '../../../../rules/ids.ts'
import { networkOf } from '../../../../rules/networks.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { allowsPasskeySignUp } from '../../../../rules/second-factor.ts'
import { askHook, type HookQuestion } from '../../../ground/hooks/asking.ts'
import { countUse } from '../../../ground/limits/limits.ts'
import { bySettings, settingsOf } from '../../../ground/settings/current-settings.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import { refuseUnchallenged } from '../../account/challenge.ts'
import { decideNewcomer, type NewUser, newUser, originOf } from '../../account/creation.ts'
import { refuseForeignDomain, refuseSignUpBy, withCooldown } from '../../account/email-rules.ts'
import { afterSignUp, asSigningIn, signedUpAs } from '../../account/sign-up.ts'
import { wireUser } from '../../account/wire.ts'
import { sessionsHere } from '../../sessions/sessions.ts'
import type { SignUpOptions } from '../input.ts'
import { takeCeremony } from './ceremony.ts'
import { insertFirstPasskey, refuseIfRegistered, registrationOptions, verifiedPasskey } from './registration.ts'
import type { RegistrationResponse } from './webauthn.ts'

/** Replaces the password with a passkey, for which the authenticator must verify its user. */
export async function beginSignUp(call: Call, { email, name }: SignUpOptions) {
  const { platform } = call
  const settings = await settingsOf(call)
  refuseUnlessAllowed(settings)
  refuseForeignDomain(settings, email)
  await refuseUnchallenged(call, settings)
  await countUse(platform, 'network-sign-ups', networkOf(call.sender.address))
  const owner = { id: newId(), email, name: name ?? email }
  return registrationOptions(call, owner, { kind: 'sign-up', userVerification: 'required' })
}

/**
 * Like a sign-up with a password: if verification is required, the response does not reveal whether the
 * address was taken.
 */
export async function finishSignUp(call: Call, response: RegistrationResponse) {
  const { platform } = call
  const settings = await settingsOf(call)
  refuseUnlessAllowed(settings)
  const ceremony = await takeCeremony(call, 'sign-up')
  const account = ceremony.account ?? { email: '', name: '' }
  refuseForeignDomain(settings, account.email)
  const passkey = await verifiedPasskey(call, ceremony, response, { name: undefined, userVerification: true })
  const asked = new Asked((question: HookQuestion) => askHook(call, 'before_sign_up', question))
  const newcomer = newUser({ id: passkey.user_id, ...account, asked, ...originOf(call) })
  return withCooldown(platform, settings, 'signup', account.email, [], () =>
    bySettings(platform, (current) => createWith(call, current, newcomer, passkey), settings),
  ).catch(refuseIfRegistered)
}

async function createWith(call: Call, settings: Settings, newcomer: NewUser, passkey: NewPasskey) {
  const { platform } = call
  refuseSignUpBy(platform, settings)
  refuseUnlessAllowed(settings)
  refuseForeignDomain(settings, newcomer.email)
  const signingIn = asSigningIn(platform, settings, newcomer)
  const here = sessionsHere(call, settings)
  const signedUp = await decideNewcomer(call, settings, signingIn, [here], async (act, created, held) => {
    const outcome = signedUpAs(act, call, settings, signingIn, created, held)
    if (created) insertFirstPasskey(act, platform, passkey)
    return outcome
  })
  const { token, user } = await afterSignUp(call, newcomer, signedUp)
  return { token, user: wireUser(platform, { ...user, factors: 'passkey' }) }
}

function refuseUnlessAllowed({ authentication }: Settings): void {
  if (allowsPasskeySignUp(authentication)) return
  throw new Refusal('SECOND_FACTOR_DISABLED', 'Signing up with a passkey is disabled here.')
}
