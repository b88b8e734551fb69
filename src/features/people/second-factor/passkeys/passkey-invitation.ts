import type { Call } from '../../../../http/route.ts'
import { newId } from '../../../../rules/ids.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import type { Act } from '../../../ground/acts/acts.ts'
import { wrongMailedCode } from '../../account/codes/codes.ts'
import { decideInvitation, refuseDeadInvitation } from '../../account/invitation.ts'
import { findJoining, join, refuseJoining } from '../../account/joining.ts'
import { findUserByEmail } from '../../users/statements.ts'
import { takeCeremony } from './ceremony.ts'
import { insertFirstPasskey, refuseIfRegistered, registrationOptions, verifiedPasskey } from './registration.ts'
import type { RegistrationResponse } from './webauthn.ts'

interface Invitation {
  readonly email: string
  readonly link: string
}

/** Checks the link; it is used up only when the passkey is added. */
export async function beginInvitation(
  call: Call,
  { name, ...invitation }: Invitation & { readonly name?: string | undefined },
) {
  const { email } = invitation
  const joining = await findJoining(call, invitation)
  if (joining) {
    await refuseJoining(call, joining)
    return registrationOptions(call, { id: newId(), email, name: name ?? email }, REQUIREMENTS)
  }
  await refuseDeadInvitation(call, invitation)
  const user = await findUserByEmail(call.platform.meta, invitation.email)
  if (!user) throw new Refusal('INVALID_OTP', 'This invitation is no longer valid.')
  return registrationOptions(call, user, REQUIREMENTS)
}

const REQUIREMENTS = { kind: 'invitation', userVerification: 'required' } as const

/** The administrator's does not sign in; the passkey's next use does. */
export async function finishInvitation(
  call: Call,
  { response, ...invitation }: Invitation & { readonly response: RegistrationResponse },
) {
  const ceremony = await takeCeremony(call, 'invitation')
  if (ceremony.account?.email !== invitation.email) {
    throw new Refusal('INVALID_PASSKEY', 'This passkey was made for another invitation.')
  }
  const passkey = await verifiedPasskey(call, ceremony, response, { name: undefined, userVerification: true })
  const joining = await findJoining(call, invitation)
  if (joining) {
    const { email, name } = ceremony.account
    const addPasskey = (act: Act) => insertFirstPasskey(act, call.platform, passkey)
    await join(call, joining, { id: passkey.user_id, email, name }, addPasskey).catch(refuseIfRegistered)
    return { success: true as const }
  }
  await decideInvitation(call, invitation, (act, { id }) => {
    // The address can belong to another account by now.
    if (id !== passkey.user_id) throw wrongMailedCode()
    insertFirstPasskey(act, call.platform, passkey)
  }).catch(refuseIfRegistered)
  return { success: true as const }
}
