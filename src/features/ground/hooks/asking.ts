import type { Asked } from '../../../database/asking.ts'
import type { Call } from '../../../http/route.ts'
import { failureOf, failureOfStatus } from '../../../platform/endpoints/failures.ts'
import { type KeptAnswer, TooManyQuestions } from '../../../platform/endpoints/questions.ts'
import { signedHeaders } from '../../../platform/endpoints/signature.ts'
import type { Answered } from '../../../platform/endpoints/transport.ts'
import type { Platform } from '../../../platform/platform.ts'
import { newId } from '../../../rules/ids.ts'
import { networkOf } from '../../../rules/networks.ts'
import { dataOf } from '../../../rules/product-data.ts'
import { oauthRefusal, Refusal } from '../../../rules/refusal.ts'
import { userDataOf } from '../../people/product-data/statements.ts'
import { currentSettings } from '../settings/current-settings.ts'
import type { Settings } from '../settings/model.ts'
import { HOOKS, type HookName } from '../settings/parts/hooks.ts'
import { type HookAnswer, parsedAnswer } from './answers.ts'
import { secretsOf } from './secrets.ts'

/** What a hook is asked about. */
export interface HookQuestion {
  readonly user: HookUser
  /** `password`, `passkey`, a provider's slot, for tokens the grant type or `signed`. */
  readonly method: string
  readonly clientId?: string | undefined
  readonly organizationId?: string | undefined
}

interface HookUser {
  /** Null for somebody who is not a user yet. */
  readonly id: string | null
  readonly email: string
  readonly name: string
  readonly email_verified: boolean
}

export type Yes = Extract<HookAnswer, { allow: true }>

/** The product, as a decision asks it. */
export type AskedProduct = Asked<HookQuestion, Yes>

/**
 * Asks the product once, in the time that the settings give it. Throws its no; while the hook fails, does what the
 * administrator chose.
 */
export async function askHook(
  { platform, sender }: Pick<Call, 'platform' | 'sender'>,
  name: HookName,
  question: HookQuestion,
  known?: Settings,
): Promise<Yes> {
  const { hooks } = known ?? (await currentSettings(platform))
  const hook = hooks[name]
  if (!hook.enabled) return { allow: true }
  const { answer, kept } = await answerOf({ platform, sender }, name, question, hooks)
  note(platform, name, kept)
  if (answer?.allow === false) throw new Refusal('HOOK_REFUSED', answer.message)
  if (answer) return answer
  if (hook.on_failure === 'allow') return { allow: true }
  throw new Refusal('HOOK_UNAVAILABLE', 'This cannot be checked right now. Try again in a moment.', {
    oauth: 'temporarily_unavailable',
    retryAfterSeconds: 2,
  })
}

/** The same before a token of an application, whose endpoint refuses in the words of OAuth. */
export async function askBeforeToken(call: Pick<Call, 'platform' | 'sender'>, question: HookQuestion): Promise<Yes> {
  try {
    return await askHook(call, 'before_token', question)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'HOOK_REFUSED') throw oauthRefusal('access_denied', error.message)
    throw error
  }
}

/** The name of the way in, for a provider of an account or `passkey`. */
export function methodOf(provider: string): string {
  return provider === 'credential' ? 'password' : provider
}

async function factsOf({ meta, now }: Platform, name: HookName, { user, organizationId }: HookQuestion) {
  const row = user.id === null ? undefined : await userDataOf(meta.primary, user.id).executeTakeFirst()
  const { id, email, name: called, email_verified } = user
  return {
    id: newId(),
    type: name,
    occurred_at: now(),
    user: { id, email, name: called, email_verified, public: dataOf(row).public },
    organization_id: organizationId ?? null,
  }
}

function contextOf({ address, userAgent, continent }: Call['sender'], { method, clientId }: HookQuestion) {
  return { method, ip: address, user_agent: userAgent, continent: continent ?? null, client_id: clientId ?? null }
}

/** No answer is a failure, which `kept` names. */
export interface Heard {
  readonly answer: HookAnswer | undefined
  readonly kept: KeptAnswer
  /** What was sent back, as far as it was read. */
  readonly text: string
}

/** Asks, whether or not the hook is enabled, and neither counts nor keeps what comes back. */
export async function answerOf(
  { platform, sender }: Pick<Call, 'platform' | 'sender'>,
  name: HookName,
  question: HookQuestion,
  hooks: Settings['hooks'],
): Promise<Heard> {
  const { questions, now } = platform
  const { url, timeout_ms } = hooks[name]
  const asked = { ...(await factsOf(platform, name, question)), context: contextOf(sender, question) }
  const body = JSON.stringify(asked)
  const secrets = secretsOf(platform, name, hooks)
  const started = performance.now()
  const heard = (answer: HookAnswer | undefined, status: number | null, error: string | null, text: string): Heard => {
    const outcome = answer === undefined ? 'failed' : answer.allow ? 'allowed' : 'refused'
    const milliseconds = Math.round(performance.now() - started)
    return { answer, kept: { id: asked.id, at: now(), milliseconds, status, outcome, error }, text }
  }
  if (secrets.length === 0) return heard(undefined, null, 'no_secret', '')
  const headers = signedHeaders(secrets, asked.id, now(), body)
  try {
    const asker = question.user.id ?? networkOf(sender.address)
    const answered = await questions.ask({ url, headers, body, asker, milliseconds: timeout_ms })
    const { answer, error } = judged(name, answered)
    return heard(answer, answered.status, error, answered.body.toString('utf8'))
  } catch (error) {
    return heard(undefined, null, error instanceof TooManyQuestions ? 'too_many' : failureOf(error), '')
  }
}

function note({ questions, metrics }: Platform, name: HookName, kept: KeptAnswer): void {
  questions.keep(name, kept)
  if (kept.outcome === 'failed') metrics.count('hook_failures', name)
}

function judged(name: HookName, { status, body, isWhole }: Answered) {
  if (status !== 200) return { answer: undefined, error: failureOfStatus(status) }
  if (!isWhole) return { answer: undefined, error: 'not_whole' }
  const answer = parsedAnswer(name, body)
  return { answer, error: answer ? null : 'no_answer' }
}

/** Shows each hook's failures from the start. */
export function observeHooks({ metrics }: Pick<Platform, 'metrics'>): void {
  metrics.counter('hook_failures', 'hook', HOOKS)
}
