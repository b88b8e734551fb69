import { Asked } from '../../../../../database/asking.ts'
import { StoreUnavailable } from '../../../../../database/store.ts'
import { type Answer, redirect } from '../../../../../http/answers/answer.ts'
import { logFailedSignIn } from '../../../../../http/answers/refuse.ts'
import type { Call } from '../../../../../http/route.ts'
import { isSynthetic } from '../../../../../rules/email.ts'
import { visibleLine } from '../../../../../rules/one-line.ts'
import { type Code, Refusal } from '../../../../../rules/refusal.ts'
import { decide, programOf } from '../../../../ground/acts/acts.ts'
import { type AskedProduct, askHook, type HookQuestion } from '../../../../ground/hooks/asking.ts'
import type { Profile } from '../../../../ground/provider-presets/preset.ts'
import { issuerOf, pictureAddress, type SocialProvider } from '../../../../ground/provider-presets/presets.ts'
import { bySettings, currentSettings } from '../../../../ground/settings/current-settings.ts'
import type { Settings } from '../../../../ground/settings/model.ts'
import { openSession } from '../../../sessions/opening.ts'
import { createBalance, decideNewcomer, type NewUser, newUser, originOf, undefinedIfTaken } from '../../creation.ts'
import { refuseClosedRegistration } from '../../email-rules.ts'
import { longestName } from '../../input.ts'
import { rememberBrowser, usersOfBrowser } from '../../known-browser.ts'
import { type Address, addressOf, laterAddress } from '../address.ts'
import { countFormerAccounts } from '../issuer-store.ts'
import { linkAccount } from '../linking.ts'
import { connect, refuseDisabled, refuseReplaced } from '../protocol/connection.ts'
import { readProfile } from '../protocol/exchange.ts'
import * as store from '../store.ts'
import { type Flow, secondStepPage, signInPage, takeFlow } from './flow.ts'
import { withError } from './return-address.ts'

/** Handles the provider's response. Any failure leads to a page with an error code, and nobody is signed in. */
export function finishFlow(call: Call, provider: SocialProvider): Promise<Answer> {
  const answer = call.exchange.parameters
  return landing(call, provider, signInPage, async () => {
    const flow = await takeFlow(call, provider, answer)
    return landing(call, provider, flow.errorPath, () => auditRefusals(call, provider, flow, answer))
  })
}

/** Failures before this point are noise that anyone can cause; they go to the log only. */
async function auditRefusals(
  call: Call,
  provider: SocialProvider,
  flow: Flow,
  answer: URLSearchParams,
): Promise<Answer> {
  try {
    return await finish(call, provider, flow, answer)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const details = { provider, code: error.code, ...programOf(call.sender) }
    await decide(call, [], async (act) => act.record('user.sign_in_refused', { details }))
    throw error
  }
}

async function finish(call: Call, provider: SocialProvider, flow: Flow, answer: URLSearchParams): Promise<Answer> {
  const settings = await currentSettings(call.platform)
  const connection = await connect(call.platform, settings, provider)
  const profile = await readProfile(connection, answer, flow.proofs)
  const account = { provider, issuer: issuerOf(connection.preset), id: profile.id }
  const asked = {
    signUp: new Asked((question: HookQuestion) => askHook(call, 'before_sign_up', question)),
    signIn: new Asked((question: HookQuestion) => askHook(call, 'before_sign_in', question)),
  }
  // The exchange with the provider takes long enough for the settings to change.
  return bySettings(call.platform, async (current) => {
    refuseDisabled(call.platform, current, provider)
    refuseReplaced(settings, current, provider)
    if (flow.linkUserId === undefined)
      return redirect(await signInAs(call, current, asked, account, profile, flow.callbackPath))
    await linkAccount(call, flow.linkUserId, account, current)
    return redirect(flow.callbackPath)
  })
}

/** Returns where the browser goes: to the callback address, or to the second step. */
async function signInAs(
  call: Call,
  settings: Settings,
  asked: { readonly signUp: AskedProduct; readonly signIn: AskedProduct },
  account: store.ProviderAccount,
  profile: Profile,
  callbackPath: string,
): Promise<string> {
  const { platform } = call
  const known = await store.userIdByAccount(platform.meta, account)
  const userId = known?.user_id ?? (await createFrom(call, settings, asked.signUp, account, profile))
  const opening = await openSession(call, {
    userId,
    by: account.provider,
    counts: 'as one factor',
    proof: store.accountOfUser(platform.meta, userId, account),
    isKnownBrowser: !known || usersOfBrowser(call).includes(userId),
    returnTo: callbackPath,
    settings,
    asked: known && asked.signIn,
  })
  if (!opening) throw new Refusal('UNAUTHORIZED', 'This account has just been deleted.')
  if (!opening.session) return secondStepPage(opening.methods)
  rememberBrowser(call, { id: userId })
  return callbackPath
}

/** Creates the user at the first sign-in. The same address never gives access to another user's account. */
async function createFrom(
  call: Call,
  settings: Settings,
  asked: AskedProduct,
  account: store.ProviderAccount,
  profile: Profile,
): Promise<string> {
  refuseClosedRegistration(settings)
  const address = addressOf(settings, account.provider, profile)
  const createAt = (at: Address) =>
    createOrFind(call, settings, account, { ...userOf(call, account, profile, at), asked })
  const first = await createAt(address)
  if (first !== undefined) return first
  const canBeFormer = isSynthetic(address.email) && (await hasFormerAccounts(call, account))
  const later = canBeFormer ? await createAt(laterAddress(address, account.issuer)) : undefined
  if (later !== undefined) return later
  throw new Refusal(
    'ACCOUNT_NOT_LINKED',
    'There is already an account with this address. Sign in to it, then link the provider.',
  )
}

async function hasFormerAccounts({ platform }: Call, { provider, issuer }: store.ProviderAccount) {
  return (await countFormerAccounts(platform.meta, provider, issuer)) > 0
}

/** Undefined if the address is taken. The same account may have just signed in for the first time elsewhere. */
async function createOrFind(
  call: Call,
  settings: Settings,
  account: store.ProviderAccount,
  newcomer: NewUser,
): Promise<string | undefined> {
  const { platform } = call
  const created = await decideNewcomer(call, settings, newcomer, [], async (_, made) => made).catch(undefinedIfTaken)
  if (!created) return (await store.userIdByAccount(platform.meta, account))?.user_id
  await createBalance(platform, created)
  return created.user.id
}

function userOf(
  call: Call,
  { provider, issuer, id }: store.ProviderAccount,
  profile: Profile,
  { email, email_verified }: Address,
): NewUser {
  const name = clean(profile.name) ?? email
  // Microsoft's handle is an address.
  const handle = clean(profile.handle?.split('@')[0]) ?? null
  const image = pictureAddress(call.platform.config, profile.image) ?? null
  const account = { provider, issuer, provider_account_id: id }
  return newUser({ email, email_verified, name, handle, image, ...account, ...originOf(call) })
}

function clean(text: string | undefined): string | undefined {
  const plain = text && visibleLine(text)
  return plain ? [...plain].slice(0, longestName).join('') : undefined
}

async function landing(
  call: Call,
  provider: SocialProvider,
  errorPath: string,
  step: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await step()
  } catch (error) {
    const code = codeOf(error)
    const { message } = error instanceof Error ? error : { message: code }
    const isHooks = code === 'HOOK_REFUSED' || code === 'HOOK_UNAVAILABLE'
    logFailedSignIn(call.platform, call.exchange, code, { provider, ...(!isHooks && { message }) })
    call.platform.refusals.note({ code, address: call.sender.address, path: call.exchange.path })
    // The product's own words, for its user.
    return redirect(withError(errorPath, code.toLowerCase(), isHooks ? message : undefined))
  }
}

function codeOf(error: unknown): Code {
  if (error instanceof Refusal) return error.code
  if (error instanceof StoreUnavailable) return 'STORE_UNAVAILABLE'
  throw error
}
