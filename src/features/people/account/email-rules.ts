import { createHash } from 'node:crypto'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { domainOf, isSynthetic } from '../../../rules/email.ts'
import { networkOf } from '../../../rules/networks.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { DAY_SECONDS } from '../../../rules/time.ts'
import { isMailAvailable } from '../../delivery/mail/sender.ts'
import { countUses, type Use } from '../../ground/limits/limits.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'

/** Email rule 1, before method, origin or body are checked: a code never signs in. */
export function refuseOtpSignIn(): never {
  throw otpSignInDisabled()
}

export function otpSignInDisabled(): Refusal {
  return new Refusal('EMAIL_OTP_SIGN_IN_DISABLED', 'You cannot sign in with a code. Use your password or a provider.')
}

/** Email rules 2 and 3, whatever was sent: nobody can sign up, or no code could be delivered. */
export async function refuseSignUp(call: Call): Promise<void> {
  refuseSignUpBy(call.platform, await settingsOf(call))
}

export function refuseSignUpBy(platform: Platform, settings: Settings): void {
  refuseClosedRegistration(settings)
  if (settings.authentication.email_verification_required) refuseWithoutMail(platform, settings)
}

/** Email rule 3, whatever was sent. */
export async function refuseEmailAction(call: Call): Promise<void> {
  refuseWithoutMail(call.platform, await settingsOf(call))
}

/** Email rule 2, for every way to sign up. */
export function refuseClosedRegistration({ authentication }: Settings): void {
  if (authentication.registration_enabled) return
  throw new Refusal('REGISTRATION_DISABLED', 'New accounts are not accepted right now.')
}

/** Email rule 3. */
function refuseWithoutMail(platform: Platform, settings: Settings): void {
  if (isMailAvailable(platform, settings)) return
  throw new Refusal('EMAIL_PROVIDER_UNAVAILABLE', 'This service cannot send mail right now.')
}

/** Email rule 4. Nobody can sign up with a synthetic address either. */
export function refuseForeignDomain({ authentication }: Settings, email: string): void {
  const allowed = authentication.email_signup_domain_allowlist.map(asDomain)
  const domain = domainOf(email)
  if (!isSynthetic(email) && (allowed.length === 0 || allowed.includes(domain))) return
  throw new Refusal('EMAIL_DOMAIN_NOT_ALLOWED', `Addresses at ${domain} cannot be used to sign up here.`)
}

/** A synthetic address has no mailbox, so the administrator cannot write to it either. */
export function refuseSynthetic(email: string): void {
  if (isSynthetic(email)) throw new Refusal('EMAIL_DOMAIN_NOT_ALLOWED', 'Mail cannot be delivered to this address.')
}

function asDomain(entry: string): string {
  return entry.trim().toLowerCase().replace(/^@/, '')
}

export function emailNotVerified(): Refusal {
  return new Refusal('EMAIL_NOT_VERIFIED', 'Enter the code from your mail first.')
}

type Scene = 'signup' | 'change_email' | 'request_password_reset' | 'send_verification_email'

/**
 * Email rule 5, after the limits. Of several requests at once exactly one passes, across processes. If the work fails
 * through a fault of ours, the cooldown is lifted; after a refusal it stays.
 */
export async function withCooldown<T>(
  platform: Platform,
  { authentication }: Settings,
  scene: Scene,
  email: string,
  uses: readonly Use[],
  work: () => Promise<T>,
): Promise<T> {
  const seconds = authentication.email_user_action_cooldown_seconds
  if (seconds <= 0) {
    await countUses(platform, uses)
    return work()
  }
  const key = `email:cooldown:${scene}:${createHash('sha256').update(email).digest('hex')}`
  await startWindow(platform, key, seconds, uses)
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal)) await cancelWindow(platform, key)
    throw error
  }
}

/** The limits on requesting a code. */
export function codeRequestsFrom({ address }: Call['sender']): readonly Use[] {
  return [{ limit: 'network-code-requests', subject: networkOf(address) }]
}

// The longest window that the settings allow, so that a longer window still finds every action it covers.
const KEPT_SECONDS = DAY_SECONDS

/** The value is the time of the action, so that a changed window takes effect at once. */
async function startWindow(platform: Platform, key: string, seconds: number, uses: readonly Use[]): Promise<void> {
  const { memory } = platform
  const now = platform.now()
  const known = memory.recall(key)
  if (known !== undefined && leftOf(known, now, seconds) > 0) {
    await countUses(platform, uses)
    refuseInside(known, now, seconds)
  }
  const write = { key, value: String(now), lifetimeSeconds: KEPT_SECONDS }
  if (!(await countUses(platform, uses, { write }))) await restartWindow(platform, key, seconds)
  memory.remember(key, now)
}

/**
 * The stored window may have been longer when it started. Of all requests that find it expired, one passes.
 */
async function restartWindow({ keyValue, now }: Platform, key: string, seconds: number): Promise<void> {
  const at = now()
  const started = Number((await keyValue.get(key))?.value ?? at)
  refuseInside(started, at, seconds)
  const isFirst = await keyValue.setIfAbsent(`${key}:after:${started}`, '', seconds)
  if (isFirst) await keyValue.delete(key)
  if (!isFirst || !(await keyValue.setIfAbsent(key, String(at), KEPT_SECONDS))) refuseInside(at, at, seconds)
}

async function cancelWindow({ keyValue, memory }: Platform, key: string): Promise<void> {
  memory.forget(key)
  await keyValue.delete(key)
}

function refuseInside(started: number, now: number, seconds: number): void {
  const left = leftOf(started, now, seconds)
  if (left <= 0) return
  throw new Refusal('EMAIL_ACTION_RATE_LIMITED', `Wait ${Math.ceil(left)} seconds before the next try.`, {
    retryAfterSeconds: left,
  })
}

function leftOf(started: number, now: number, seconds: number): number {
  return Math.min(seconds, seconds - (now - started) / 1000)
}
