import type { Compilable } from 'kysely'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Call } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { requesterOf } from '../../ground/limits/networks.ts'
import { guessOf, refuseDeadCode, spendCode, strangerFrom } from './codes/codes.ts'
import { withinNetwork } from './email-codes.ts'
import type { AcceptInvitation } from './input.ts'
import { refuseWeakPassword } from './password-rules.ts'
import * as passwordStore from './password-store.ts'
import { invitationAccepted } from './proof.ts'
import * as store from './store.ts'

interface Invitation {
  readonly email: string
  readonly link: string
}

/** Sets the first password of a user whom the administrator has invited. Does not sign in. */
export async function acceptInvitation(call: Call, { email, link, password }: AcceptInvitation) {
  const { platform, sender } = call
  await refuseWeakPassword(platform, email, password)
  await refuseDeadInvitation(call, { email, link })
  const hash = await platform.passwords.hash(password, requesterOf(sender, email))
  await acceptInvitationWith(call, { email, link }, (user) => [
    passwordStore.setPassword(platform.meta, user.id, hash, platform.now()),
  ])
  return { success: true as const }
}

/** The link is for a first credential only: an old link cannot bypass a credential that was set later. */
export async function refuseDeadInvitation(call: Call, invitation: Invitation): Promise<void> {
  const { platform } = call
  await withinNetwork(call, invitation.link, () => refuseDeadCode(platform, guess(call, invitation)))
  const unclaimed = await store.unclaimedUser(platform.meta.primary, invitation.email).executeTakeFirst()
  if (!unclaimed) throw new Refusal('INVALID_OTP', 'This account already has a password or passkey. Sign in instead.')
}

/** Sets the credential that the owner chose if, and only if, the link is spent in the same batch. */
export async function acceptInvitationWith(
  call: Call,
  invitation: Invitation,
  credentialOf: (user: UserTable) => readonly Compilable<unknown>[],
): Promise<void> {
  const effect = invitationAccepted(call, credentialOf)
  await withinNetwork(call, invitation.link, () => spendCode(call, guess(call, invitation), effect))
}

/** A link cannot be guessed, so the caller does not matter. */
function guess({ platform, sender }: Call, { email, link }: Invitation) {
  return guessOf(platform, 'invitation', email, link, strangerFrom(sender))
}
