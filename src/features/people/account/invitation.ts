import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Call } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { endAccess } from '../../access/ending/ending.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { requesterOf } from '../../ground/limits/requester.ts'
import { proveAddress } from '../sessions/proving.ts'
import { decideMailedCode, refuseDeadCode, withinNetwork, wrongMailedCode } from './codes/codes.ts'
import type { AcceptInvitation } from './input.ts'
import { refuseWeakPassword } from './password-rules.ts'
import * as store from './store.ts'

interface Invitation {
  readonly email: string
  readonly link: string
}

/** Sets the first password of a user whom the administrator has invited. Does not sign in. */
export async function setFirstPassword(call: Call, { email, link, password }: AcceptInvitation): Promise<void> {
  const { platform, sender } = call
  const { meta, now } = platform
  await refuseWeakPassword(platform, email, password)
  await refuseDeadInvitation(call, { email, link })
  const hash = await platform.passwords.hash(password, requesterOf(sender, email))
  await decideInvitation(call, { email, link }, (act, user) => act.write(store.setPassword(meta, user.id, hash, now())))
}

/** The link is for a first credential only: an old link cannot bypass a credential that was set later. */
export async function refuseDeadInvitation(call: Call, { email, link }: Invitation): Promise<void> {
  const shown = { purpose: 'invitation', email, otp: link } as const
  await withinNetwork(call, link, () => refuseDeadCode(call, shown))
  const unclaimed = await store.unclaimedUser(call.platform.meta.primary, email).executeTakeFirst()
  if (!unclaimed) throw new Refusal('INVALID_OTP', 'This account already has a password or passkey. Sign in instead.')
}

/** Spends the link and sets the owner's credential. The owner has read the letter, so the address is proven. */
export async function decideInvitation(
  call: Call,
  { email, link }: Invitation,
  setCredential: (act: Act, user: UserTable) => void,
): Promise<void> {
  const { platform } = call
  const shown = { purpose: 'invitation', email, otp: link } as const
  const unclaimed = store.unclaimedUser(platform.meta, email)
  await withinNetwork(call, link, () =>
    decideMailedCode(call, shown, [unclaimed], async (act, { user }, [claimable]) => {
      if (!claimable) throw wrongMailedCode()
      endAccess(act, platform, 'password reset', user.id)
      setCredential(act, user)
      act.record('user.accept_invitation', { by: user, user })
      proveAddress(act, platform, user)
    }),
  )
}
