import type { UserRow } from '../../../database/schema/people/users.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { networkOf } from '../../../rules/networks.ts'
import { type Act, programOf, type Refused } from '../../ground/acts/acts.ts'
import { requesterOf } from '../../ground/limits/requester.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import { bySettings } from '../../ground/settings/holding.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { endFormerSession, firstSession, giveSession, type NewSession } from '../sessions/sessions.ts'
import { refuseUnchallenged } from './challenge.ts'
import {
  addressTaken,
  type Created,
  decideNewcomer,
  type NewUser,
  newUser,
  openBalance,
  originOf,
  userRow,
} from './creation.ts'
import { refuseForeignDomain, refuseSignUpBy, withCooldown } from './email-rules.ts'
import type { SignUpEmail } from './input.ts'
import { rememberBrowser } from './known-browser.ts'
import { refuseWeakPassword } from './password-rules.ts'
import { wireUser } from './wire.ts'

export async function signUp(call: Call, { email, name, password }: SignUpEmail) {
  const { platform } = call
  const settings = await settingsOf(call)
  refuseForeignDomain(settings, email)
  await refuseWeakPassword(platform, email, password)
  await refuseUnchallenged(call, settings)
  const uses = [{ limit: 'network-sign-ups', subject: networkOf(call.sender.address) }] as const

  return withCooldown(platform, settings, 'signup', email, uses, async () => {
    const password_hash = await platform.passwords.hash(password, requesterOf(call.sender, email))
    const newcomer = newUser({ email, name, password_hash, ...originOf(call) })
    // Hashing takes long enough for the settings to change.
    return bySettings(
      platform,
      async (current) => {
        refuseSignUpBy(platform, current)
        refuseForeignDomain(current, email)
        const signingIn = asSigningIn(platform, current, newcomer)
        const signedUp = await decideNewcomer(call, current, signingIn, [], async (act, created) =>
          signedUpAs(act, call, current, created),
        )
        const { token, user } = await afterSignUp(call, newcomer, signedUp)
        return { token, user: wireUser(platform, user) }
      },
      settings,
    )
  })
}

/** Notes the sign-in, if `signedUpAs` opens a session: not before the address is verified, if it must be. */
export function asSigningIn({ now }: Platform, { authentication }: Settings, newcomer: NewUser): NewUser {
  return authentication.email_verification_required ? newcomer : { ...newcomer, last_sign_in_at: now() }
}

/** Without a user, the address was taken; without a session, it must be verified first. */
interface SignedUp {
  readonly created?: Created
  readonly session?: NewSession
}

/**
 * Signs the newcomer in, unless the address must be verified first. The response then does not reveal whether the
 * address was taken: it is the same as for a new account, and takes as long.
 */
export function signedUpAs(
  act: Act,
  call: Call,
  { authentication }: Settings,
  created: Created | undefined,
): SignedUp | Refused {
  const mustVerify = authentication.email_verification_required
  if (!created) {
    act.record('user.sign_up_refused', { details: { code: addressTaken().code, ...programOf(call.sender) } })
    return mustVerify ? {} : act.refuse(addressTaken())
  }
  if (mustVerify) return { created }
  const session = firstSession(act, call, created.user.id)
  endFormerSession(act, call)
  return { created, session }
}

/** Without a session, the balance is created later, since creating it now would reveal that the address was free. */
export async function afterSignUp(
  call: Call,
  newcomer: NewUser,
  { created, session }: SignedUp,
): Promise<{ readonly token: string | null; readonly user: UserRow }> {
  const { platform, exchange } = call
  if (created && session) {
    await openBalance(platform, created)
    giveSession(platform, exchange, session)
  }
  rememberBrowser(call, newcomer)
  return { token: session?.token ?? null, user: created?.user ?? userRow(platform, newcomer) }
}
