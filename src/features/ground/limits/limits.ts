import type { Platform } from '../../../platform/platform.ts'
import { type OAuthError, Refusal } from '../../../rules/refusal.ts'
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '../../../rules/time.ts'

/**
 * Limits how often. For how much, see `http/requests/body.ts`; for how many at once,
 * `platform/passwords/passwords.ts` and `http/server.ts`.
 */
export const LIMITS = {
  /**
   * Counted for each account and network. Ten wrong guesses can be forgetfulness; after that there are waits, see
   * `guesses.ts`.
   */
  'wrong-passwords': { most: 10, windowSeconds: 15 * MINUTE_SECONDS },
  /** Waits go on for a day, or until the right password is given. A guesser gets about a hundred tries. */
  waits: { most: Number.POSITIVE_INFINITY, windowSeconds: DAY_SECONDS },
  // Shared by the one-time and backup codes of one account; `docs/security.md` has the arithmetic.
  /** Shared by all strangers, however many networks they have. */
  'strangers-code-guesses': { most: 60, windowSeconds: DAY_SECONDS },
  /** Networks where the user has signed in before; a former guest of the account can have done so too. */
  'known-code-guesses': { most: 100, windowSeconds: DAY_SECONDS },
  /** After that, shared by all neighbourhoods, each of which has the few tries below. */
  'further-code-guesses': { most: 60, windowSeconds: DAY_SECONDS },
  /** Counted for one account after a right first step. None is refused; the last one sends the owner a letter. */
  'wrong-second-steps': { most: 10, windowSeconds: DAY_SECONDS },
  /** Counted for one account over all networks; after that each neighbourhood has the few tries below. */
  'account-failures': { most: 100, windowSeconds: DAY_SECONDS },
  'tries-under-attack': { most: 3, windowSeconds: DAY_SECONDS },
  /** Right passwords cost a hash too. A program that signs in more often keeps its session instead. */
  'sign-ins': { most: 60, windowSeconds: 15 * MINUTE_SECONDS },
  'network-sign-ins': { most: 600, windowSeconds: 15 * MINUTE_SECONDS },
  /** Over all addresses. An office behind one address shares these. */
  'network-failures': { most: 100, windowSeconds: 15 * MINUTE_SECONDS },
  /** Enough for a school class in an hour, too few for a flood of accounts. */
  'network-sign-ups': { most: 60, windowSeconds: HOUR_SECONDS },
  /** Each of these writes a row and may send a mail. */
  'network-code-requests': { most: 60, windowSeconds: HOUR_SECONDS },
  /** Each fetches a document of somebody else's, and can leave a row. */
  'client-documents': { most: 60, windowSeconds: 10 * MINUTE_SECONDS },
  /** Each leaves a row for 30 days, or until it gives way to newer ones: `MOST_UNUSED_REGISTRATIONS`. */
  'client-registrations': { most: 20, windowSeconds: HOUR_SECONDS },
  /** A person starts a few; each leaves a row for ten minutes. */
  'device-starts': { most: 60, windowSeconds: MINUTE_SECONDS },
  /** Each leaves a row for ten minutes, without a sign-in. An office behind one address shares these. */
  'provider-starts': { most: 120, windowSeconds: MINUTE_SECONDS },
  /** Each leaves a row for five minutes, without a sign-in. An office behind one address shares these. */
  'passkey-responses': { most: 120, windowSeconds: MINUTE_SECONDS },
  /** Among 25 billion user codes, which are valid for ten minutes. */
  'user-codes-by-user': { most: 20, windowSeconds: 10 * MINUTE_SECONDS },
  'user-codes-by-network': { most: 100, windowSeconds: 10 * MINUTE_SECONDS },
  /** Among 10^17 codes; nobody mistypes one this often. */
  'beta-codes-by-user': { most: 20, windowSeconds: 10 * MINUTE_SECONDS },
} as const

type Limit = keyof typeof LIMITS

export interface Use {
  readonly limit: Limit
  readonly subject: string
  /** If it is not the limit's own. */
  readonly most?: number
}

/** Counts one use, across processes; refuses uses beyond the limit. */
export async function countUse(
  platform: Platform,
  limit: Limit,
  subject: string | undefined,
  oauth?: OAuthError,
): Promise<void> {
  if (subject === undefined) return
  const key = keyOf(limit, subject)
  refuseUntil(platform, rememberedEnd(platform, key), oauth)
  if ((await addUse(platform, limit, subject)) > LIMITS[limit].most) await refuseOver(platform, key, oauth)
}

/** Refuses a subject that has used up the limit. Counts nothing. */
export async function refuseUsedUp(platform: Platform, limit: Limit, subject: string | undefined): Promise<void> {
  if (subject === undefined) return
  const key = keyOf(limit, subject)
  refuseUntil(platform, rememberedEnd(platform, key))
  if ((await usesOf(platform, limit, subject)) >= LIMITS[limit].most) await refuseOver(platform, key)
}

/** Counts one use; if it is beyond the limit, refuses nothing and returns when the window ends. */
export async function endIfUsedUp(platform: Platform, { limit, subject, most }: Use): Promise<number | undefined> {
  const key = keyOf(limit, subject)
  // The remembered value belongs to this limit's own figure.
  const end = most === undefined ? rememberedEnd(platform, key) : undefined
  if (end !== undefined && end > platform.now()) return end
  const uses = await addUse(platform, limit, subject)
  return uses > (most ?? LIMITS[limit].most) ? readEnd(platform, key) : undefined
}

/** Counts one use, and refuses nothing. */
export function addUse({ keyValue }: Platform, limit: Limit, subject: string): Promise<number> {
  return keyValue.increment(keyOf(limit, subject), LIMITS[limit].windowSeconds)
}

/** Takes one use back. */
export async function returnUse({ keyValue }: Platform, { limit, subject }: Use): Promise<void> {
  await keyValue.increment(keyOf(limit, subject), LIMITS[limit].windowSeconds, -1)
}

export async function usesOf({ keyValue }: Platform, limit: Limit, subject: string): Promise<number> {
  const known = await keyValue.get(keyOf(limit, subject))
  return Number(known?.value ?? 0)
}

export async function forgetUses(platform: Platform, limit: Limit, subject: string): Promise<void> {
  const key = keyOf(limit, subject)
  platform.memory.forget(key)
  await platform.keyValue.delete(key)
}

async function refuseOver(platform: Platform, key: string, oauth?: OAuthError): Promise<void> {
  refuseUntil(platform, await readEnd(platform, key), oauth)
}

/**
 * When this key expires in the shared store, remembered for a moment so that a flood costs the store little.
 */
export async function readEnd({ keyValue, memory, now }: Platform, key: string): Promise<number> {
  const known = await keyValue.get(key)
  const end = now() + (known?.expiresInSeconds ?? 1) * 1000
  memory.remember(key, end)
  memory.remember(readTimeKeyOf(key), now())
  return end
}

/** Undefined if it was not read recently: another process may have deleted it since. */
export function rememberedEnd({ memory, now }: Platform, key: string): number | undefined {
  const seen = memory.recall(readTimeKeyOf(key)) ?? Number.NEGATIVE_INFINITY
  return now() - seen < TRUSTED_MILLISECONDS ? memory.recall(key) : undefined
}

const TRUSTED_MILLISECONDS = 5_000

function readTimeKeyOf(key: string): string {
  return `${key}:seen`
}

export function refuseUntil(platform: Platform, until: number | undefined, oauth?: OAuthError): void {
  const left = ((until ?? 0) - platform.now()) / 1000
  if (left <= 0) return
  throw new Refusal('RATE_LIMITED', `Too many tries. Wait ${Math.ceil(left)} seconds.`, {
    retryAfterSeconds: left,
    ...(oauth && { oauth }),
  })
}

function keyOf(limit: Limit, subject: string): string {
  return `limit:${limit}:${subject}`
}
