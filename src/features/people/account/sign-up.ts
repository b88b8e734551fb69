import { Asked } from '../../../database/asking.ts'
import type { UserRow } from '../../../database/schema/people/users.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { networkOf } from '../../../rules/networks.ts'
import { dataTooLarge, isSavable } from '../../../rules/product-data.ts'
import { lacksVerification } from '../../../rules/verification.ts'
import { type Act, programOf, type Refused } from '../../ground/acts/acts.ts'
import { askHook, type HookQuestion } from '../../ground/hooks/asking.ts'
import { requesterOf } from '../../ground/limits/requester.ts'
import { bySettings, settingsOf } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import {
  endEarlierSessions,
  firstSession,
  giveSession,
  type NewSession,
  type SessionHere,
  sessionsHere,
} from '../sessions/sessions.ts'
import { refuseUnchallenged } from './challenge.ts'
import {
  addressTaken,
  type Created,
  createBalance,
  decideNewcomer,
  type NewUser,
  newUser,
  originOf,
  userRow,
} from './creation.ts'
import { refuseForeignDomain, refuseSignUpBy, withCooldown } from './email-rules.ts'
import type { SignUpEmail } from './input.ts'
import { rememberBrowser } from './known-browser.ts'
import { refuseWeakPassword } from './password-rules.ts'
import { wireUser } from './wire.ts'

export async function signUp(call: Call, { email, name = email, password, data: own }: SignUpEmail) {
  const { platform } = call
  if (own && !isSavable({ own }, 'merged')) throw dataTooLarge('data')
  const settings = await settingsOf(call)
  refuseForeignDomain(settings, email)
  await refuseWeakPassword(platform, email, password)
  await refuseUnchallenged(call, settings)
  const uses = [{ limit: 'network-sign-ups', subject: networkOf(call.sender.address) }] as const

  return withCooldown(platform, settings, 'signup', email, uses, async () => {
    const password_hash = await platform.passwords.hash(password, requesterOf(call.sender, email))
    const asked = new Asked((question: HookQuestion) => askHook(call, 'before_sign_up', question))
    const newcomer = newUser({ email, name, password_hash, own, asked, ...originOf(call) })
    // Hashing takes long enough for the settings to change.
    return bySettings(
      platform,
      async (current) => {
        refuseSignUpBy(platform, current)
        refuseForeignDomain(current, email)
        const signingIn = asSigningIn(platform, current, newcomer)
        const here = sessionsHere(call, current)
        const signedUp = await decideNewcomer(call, current, signingIn, [here], async (act, created, held) =>
          signedUpAs(act, call, current, signingIn, created, held),
        )
        const { token, user } = await afterSignUp(call, newcomer, signedUp)
        return { token, user: wireUser(platform, user) }
      },
      settings,
    )
  })
}

/** Notes the sign-in, upon which `signedUpAs` opens a session: not before the address is verified, if it must be. */
export function asSigningIn({ now }: Platform, { authentication }: Settings, newcomer: NewUser): NewUser {
  return lacksVerification(authentication, newcomer) ? newcomer : { ...newcomer, last_sign_in_at: now() }
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
  settings: Settings,
  { last_sign_in_at }: NewUser,
  created: Created | undefined,
  here: readonly SessionHere[],
): SignedUp | Refused {
  const mustVerify = last_sign_in_at === 0
  if (!created) {
    act.record('user.sign_up_refused', { details: { code: addressTaken().code, ...programOf(call.sender) } })
    return mustVerify ? {} : act.refuse(addressTaken())
  }
  if (mustVerify) return { created }
  const beside = endEarlierSessions(act, call, settings, created.user.id, [[], here])
  return { created, session: { ...firstSession(act, call, created.user.id), beside } }
}

/** Without a session, the balance is created later, since creating it now would reveal that the address was free. */
export async function afterSignUp(
  call: Call,
  newcomer: NewUser,
  { created, session }: SignedUp,
): Promise<{ readonly token: string | null; readonly user: UserRow }> {
  const { platform, exchange } = call
  if (created && session) {
    await createBalance(platform, created)
    giveSession(platform, exchange, session)
  }
  rememberBrowser(call, newcomer)
  return { token: session?.token ?? null, user: created?.user ?? userRow(platform, newcomer) }
}
