import { v7 as newId } from 'uuid'
import { StoreUnavailable } from '../../../database/store.ts'
import { type Answer, redirect } from '../../../http/answer.ts'
import type { Call } from '../../../http/route.ts'
import { type Code, Refusal } from '../../../rules/refusal.ts'
import { anonymous, auditEntry, recordAudit } from '../../audit/audit.ts'
import type { Profile } from '../../provider-presets/preset.ts'
import type { SocialProvider } from '../../provider-presets/presets.ts'
import { endFormerSession, giveSession, newSession } from '../../sessions/sessions.ts'
import type { Settings } from '../../settings/model.ts'
import { currentSettings } from '../../settings/settings.ts'
import { lockUser } from '../../users/statements.ts'
import { createUser } from '../creation.ts'
import { refuseClosedRegistration } from '../email-rules/email-rules.ts'
import { logFailedSignIn } from '../failed-sign-ins.ts'
import { longestName } from '../input.ts'
import { registrationSourceOf } from '../registration-source.ts'
import { addressOf } from './address.ts'
import { connect } from './connection.ts'
import { readProfile } from './exchange.ts'
import { type Flow, signInPage, takeFlow } from './flow.ts'
import { linkAccount } from './linking.ts'
import { withError } from './return-address.ts'
import * as store from './store.ts'

/** The provider's answer. Whatever goes wrong lands on a page with a code, and nobody is signed in. */
export function finishFlow(call: Call, provider: SocialProvider): Promise<Answer> {
  const answer = call.exchange.url.searchParams
  return landing(call, provider, signInPage, async () => {
    const flow = await takeFlow(call, provider, answer)
    return landing(call, provider, flow.errorPath, () => auditRefusals(call, provider, flow, answer))
  })
}

/** What fails before this point is noise that anybody can make; it is in the log only. */
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
    const { platform, client } = call
    const details = { provider, code: error.code }
    await recordAudit(platform, anonymous(client), { action: 'user.sign_in_refused', details })
    throw error
  }
}

async function finish(
  call: Call,
  provider: SocialProvider,
  flow: Flow,
  answer: URLSearchParams,
): Promise<Answer> {
  const settings = await currentSettings(call.platform)
  const connection = await connect(call.platform, settings, provider)
  const profile = await readProfile(connection, answer, flow.proofs)
  if (flow.linkUserId === undefined) await signInAs(call, settings, provider, profile)
  else await linkAccount(call, flow.linkUserId, provider, profile.id)
  return redirect(flow.callbackPath)
}

async function signInAs(
  call: Call,
  settings: Settings,
  provider: SocialProvider,
  profile: Profile,
): Promise<void> {
  const { platform, exchange, client } = call
  const known = await store.userIdByAccount(platform.meta, provider, profile.id)
  const userId = known?.user_id ?? (await createFrom(call, settings, provider, profile))
  const isStillLinked = store.accountOfUser(platform.meta, userId, provider, profile.id)
  const session = newSession(platform, exchange, userId, isStillLinked)
  const actor = { id: userId, address: client.address }
  const [, made] = await platform.meta.batch([
    lockUser(platform.meta, userId),
    session.statement,
    endFormerSession(platform, exchange, session),
    auditEntry(platform, actor, { action: 'user.sign_in', details: { provider } }),
  ])
  if (made.length === 0) throw new Refusal('UNAUTHORIZED', 'This account has just been deleted.')
  giveSession(platform, exchange, session)
}

/** The first sign-in. An address that somebody else has is never a way into their account. */
async function createFrom(
  { platform, exchange, client }: Call,
  settings: Settings,
  provider: SocialProvider,
  profile: Profile,
): Promise<string> {
  refuseClosedRegistration(settings)
  const { email, emailVerified } = addressOf(settings, provider, profile)
  const newUser = {
    id: newId(),
    email,
    emailVerified,
    name: shownName(profile) ?? email,
    image: profile.image ?? null,
    role: 'user',
    provider,
    providerAccountId: profile.id,
    passwordHash: null,
    passwordIsInitial: false,
    registrationUtmSource: registrationSourceOf(exchange),
    continent: client.continent,
  } as const
  const user = await createUser(platform, settings, newUser, [])
  if (user) return user.id
  const meanwhile = await store.userIdByAccount(platform.meta, provider, profile.id)
  if (meanwhile) return meanwhile.user_id
  throw new Refusal('ACCOUNT_NOT_LINKED', 'There is an account with this address. Sign in to it and link.')
}

function shownName({ name }: Profile): string | undefined {
  const plain = name?.replace(/\p{Cc}/gu, ' ').trim()
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
    logFailedSignIn(call, code, { provider, message })
    call.platform.metrics.count('refusals', code)
    return redirect(withError(errorPath, code.toLowerCase()))
  }
}

function codeOf(error: unknown): Code {
  if (error instanceof Refusal) return error.code
  if (error instanceof StoreUnavailable) return 'STORE_UNAVAILABLE'
  throw error
}
