import type { InferResult } from 'kysely'
import { Asked } from '../../../database/asking.ts'
import type { Call } from '../../../http/route.ts'
import { newId } from '../../../rules/ids.ts'
import { networkOf } from '../../../rules/networks.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { lacksVerification } from '../../../rules/verification.ts'
import { decide, programOf } from '../../ground/acts/acts.ts'
import { refusedAddress } from '../../ground/audit/audit.ts'
import { type AskedProduct, askHook, type HookQuestion } from '../../ground/hooks/asking.ts'
import { withinGuesses } from '../../ground/limits/guesses.ts'
import { refuseRemembered, type Use } from '../../ground/limits/limits.ts'
import { requesterOf } from '../../ground/limits/requester.ts'
import { bySettings, settingsOf } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { openSession } from '../sessions/opening.ts'
import { refuseUnchallenged } from './challenge.ts'
import { emailNotVerified } from './email-rules.ts'
import type { SignInEmail } from './input.ts'
import { guesserOf, rememberBrowser, signInKeyOf, usersOfBrowser } from './known-browser.ts'
import { refuseTooLongPassword } from './password-rules.ts'
import { returnAddress } from './providers/flow/return-address.ts'
import { accountWithPassword, userWithPasswordByEmail } from './statements.ts'
import * as store from './store.ts'
import { wireUser } from './wire.ts'

/** An unknown address costs the same hash and gets the same words as a wrong password. */
export async function signIn(call: Call, input: SignInEmail) {
  call.exchange.signsIn = true
  const { email, password, callbackURL } = input
  const { platform } = call
  const landing = landingOf(call, callbackURL)
  refuseTooLongPassword(password)
  platform.passwords.refuseIfFull(requesterOf(call.sender, email))
  const settings = await settingsOf(call)
  await refuseUnchallenged(call, settings)
  refuseRemembered(platform, usesOf(call, email))
  const asked = new Asked((question: HookQuestion) => askHook(call, 'before_sign_in', question))
  const open = () => openedByPassword(call, settings, input, asked)
  const opened = (await open()) ?? (await open())
  // The password was changed while it was being checked.
  if (!opened) throw wrongPassword()
  const { user, opening } = opened
  if (!opening.session) return { twoFactorRedirect: true as const, twoFactorMethods: [...opening.methods] }
  rememberBrowser(call, user)
  return {
    ...landing,
    token: opening.session.token,
    user: wireUser(platform, user, user.password_is_initial === 1),
  }
}

/**
 * Undefined if another sign-in has replaced the imported hash since it was checked: the password must then be
 * checked again.
 */
async function openedByPassword(call: Call, known: Settings, input: SignInEmail, asked: AskedProduct) {
  const user = await userWithPassword(call, input)
  const opened =
    user.email_verified === 1
      ? await openedWith(call, user, input, asked)
      : await bySettings(call.platform, (settings) => openedWith(call, user, input, asked, settings), known)
  if (opened) return opened
  if (call.platform.passwords.isForeign(user.password_hash ?? '')) return undefined
  throw wrongPassword()
}

async function userWithPassword(call: Call, { email, password }: SignInEmail): Promise<WithPassword> {
  const { platform, sender } = call
  const [known] = await platform.meta.primary.run(userWithPasswordByEmail(platform.meta, email))
  const guesser = { ...guesserOf(call, email, known), uses: usesOf(call, email) }
  const user = await withinGuesses(platform, guesser, async () => {
    const hash = known?.password_hash ?? undefined
    return (await platform.passwords.verify(password, hash, requesterOf(sender, email))) ? known : undefined
  })
  if (!user) throw await refused(call, { id: known?.id, email }, wrongPassword())
  return user
}

function usesOf(call: Call, email: string): readonly Use[] {
  return [
    { limit: 'sign-ins', subject: signInKeyOf(call, email) },
    { limit: 'network-sign-ins', subject: networkOf(call.sender.address) },
  ]
}

type WithPassword = InferResult<ReturnType<typeof userWithPasswordByEmail>>[number]

async function openedWith(
  call: Call,
  user: WithPassword,
  { password, rememberMe, callbackURL }: SignInEmail,
  asked: AskedProduct,
  settings?: Settings,
) {
  try {
    if (settings && lacksVerification(settings.authentication, user)) throw emailNotVerified()
    const hash = await hashIfForeign(call, user, password)
    const opening = await openSession(call, {
      userId: user.id,
      by: 'credential',
      counts: 'as one factor',
      proof: accountWithPassword(call.platform.meta, user.id, user.password_hash ?? ''),
      rehash:
        hash === undefined ? undefined : store.rehash(call.platform.meta, user.id, user.password_hash ?? '', hash),
      breach: await breachOf(call, user, password),
      isKnownBrowser: usersOfBrowser(call).includes(user.id),
      life: rememberMe ? 'lasting' : 'until the browser closes',
      returnTo: callbackURL,
      settings,
      asked,
    })
    return opening && { user: hash === undefined ? user : { ...user, password_hash: hash }, opening }
  } catch (error) {
    throw error instanceof Refusal ? await refused(call, user, error) : error
  }
}

/**
 * The address as it was sent, unless `returnAddress` refuses it: the page that signs in can have another origin, for
 * which a path alone would be wrong.
 */
function landingOf({ platform, exchange }: Call, callbackURL: string | undefined) {
  if (callbackURL === undefined) return { redirect: false }
  returnAddress(platform.config, exchange, 'callbackURL', callbackURL)
  return { redirect: true, url: callbackURL }
}

/** The first sign-in after an import is the one moment at which the password is known. */
async function hashIfForeign(
  { platform: { passwords }, sender }: Call,
  { email, password_hash }: WithPassword,
  password: string,
): Promise<string | undefined> {
  if (password_hash === null || !passwords.isForeign(password_hash)) return undefined
  return passwords.hash(password, requesterOf(sender, email))
}

/** The owner gets one letter about each password that a sign-in finds in the list. */
async function breachOf({ platform: { breaches, meta, now } }: Call, { id }: WithPassword, password: string) {
  if (!(await breaches.isListed(password))) return undefined
  return { untold: store.untoldBreach(meta, id), told: store.breachTold(meta, id, now()) }
}

/**
 * Records the same entry whether or not a user has the address. It helps with a mistyped address, and shows neither a
 * stranger's address nor what somebody typed into the wrong field.
 */
async function refused(
  call: Call,
  { id, email }: { readonly id?: string | undefined; readonly email: string },
  refusal: Refusal,
): Promise<Refusal> {
  const entry = newId()
  const details = { provider: 'credential', code: refusal.code, ...programOf(call.sender) }
  await decide(call, [], async (act) => {
    act.record('user.sign_in_refused', {
      id: entry,
      details,
      ...(id !== undefined && { subject: { type: 'user', id } }),
    })
    act.write(refusedAddress(call.platform, entry, email))
  })
  return refusal
}

function wrongPassword(): Refusal {
  return new Refusal('INVALID_EMAIL_OR_PASSWORD', 'The email address or the password is wrong.')
}
