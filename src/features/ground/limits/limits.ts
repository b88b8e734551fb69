import type { Bound, Entry, Write } from '../../../platform/key-value/key-value.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type OAuthError, Refusal } from '../../../rules/refusal.ts'
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '../../../rules/time.ts'

/**
 * The limits on how often something can be done. `http/requests/body.ts` limits sizes;
 * `platform/passwords/passwords.ts` and `http/server.ts` limit what runs at once.
 */
export const LIMITS = {
  /**
   * Counted for each account and network. Ten wrong guesses can be forgetfulness; after that there are waits, see
   * `guesses.ts`.
   */
  'wrong-passwords': { most: 10, windowSeconds: 15 * MINUTE_SECONDS },
  /** Waits go on for a day, or until the right password is given. A guesser gets about a hundred tries. */
  waits: { most: Number.MAX_SAFE_INTEGER, windowSeconds: DAY_SECONDS },
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
  /** Counted over all accounts. An office behind one address shares these. */
  'network-failures': { most: 100, windowSeconds: 15 * MINUTE_SECONDS },
  /** Enough for a school class in an hour, too few for a flood of accounts. */
  'network-sign-ups': { most: 60, windowSeconds: HOUR_SECONDS },
  /** Each of these writes a row and may send a mail. */
  'network-code-requests': { most: 60, windowSeconds: HOUR_SECONDS },
  /** Each fetches somebody else's document, and can leave a row. */
  'client-documents': { most: 60, windowSeconds: 10 * MINUTE_SECONDS },
  /** Each leaves a row for 30 days, or until it gives way to newer ones: `MOST_UNUSED_REGISTRATIONS`. */
  'client-registrations': { most: 20, windowSeconds: HOUR_SECONDS },
  // Each is a letter to somebody who did not ask for it.
  'organization-letters': { most: 200, windowSeconds: DAY_SECONDS },
  'inviter-letters': { most: 200, windowSeconds: DAY_SECONDS },
  /** From all organisations together. */
  'invitations-to-address': { most: 12, windowSeconds: DAY_SECONDS },
  /** A person starts a few; each leaves a row for ten minutes. */
  'device-starts': { most: 60, windowSeconds: MINUTE_SECONDS },
  /** Each leaves a row for ten minutes, without a sign-in. An office behind one address shares these. */
  'provider-starts': { most: 120, windowSeconds: MINUTE_SECONDS },
  /** Each leaves a row for five minutes, without a sign-in. An office behind one address shares these. */
  'passkey-responses': { most: 120, windowSeconds: MINUTE_SECONDS },
  /** There are 25 billion user codes, each valid for ten minutes. */
  'user-codes-by-user': { most: 20, windowSeconds: 10 * MINUTE_SECONDS },
  'user-codes-by-network': { most: 100, windowSeconds: 10 * MINUTE_SECONDS },
  /** There are 10^17 codes, and nobody mistypes one this often. */
  'beta-codes-by-user': { most: 20, windowSeconds: 10 * MINUTE_SECONDS },
} as const

type Limit = keyof typeof LIMITS

export interface Use {
  readonly limit: Limit
  /** Undefined if it is not limited, as `networkOf` this machine is. */
  readonly subject: string | undefined
  /** The allowance, if it is not the limit's own. */
  readonly most?: number
}

interface Further {
  readonly oauth?: OAuthError
  /** A write in the same round trip, left out if a use is beyond its limit. */
  readonly write?: Write
}

/** Counts one use, across processes; refuses uses beyond the limit. */
export async function countUse(
  platform: Platform,
  limit: Limit,
  subject: string | undefined,
  oauth?: OAuthError,
): Promise<void> {
  await countUses(platform, [{ limit, subject }], oauth && { oauth })
}

/**
 * Counts several uses in one round trip. A use counts only while those before it are within their limits. Returns what
 * the further write has written.
 */
export async function countUses(
  platform: Platform,
  uses: readonly Use[],
  { oauth, write }: Further = {},
): Promise<Entry | undefined> {
  const limited = uses.filter(isLimited)
  refuseRemembered(platform, limited, oauth)
  const writes = writesOf(limited)
  const further = write ? [{ ...write, while: limited.map(boundOf) }] : []
  if (writes.length + further.length === 0) return undefined
  const { written } = await platform.keyValue.together([], [...writes, ...further])
  refuseBeyond(platform, limited, written, oauth)
  return write && written[limited.length]
}

export type Limited = Use & { readonly subject: string }

export function isLimited(use: Use): use is Limited {
  return use.subject !== undefined
}

/** A write for each use, left out if an earlier use or a further bound is exceeded. */
export function writesOf(uses: readonly Limited[], bounds: readonly Bound[] = []) {
  return uses.map((use, i) => ({
    key: keyOf(use),
    lifetimeSeconds: LIMITS[use.limit].windowSeconds,
    add: 1,
    while: [...bounds, ...uses.slice(0, i).map(boundOf)],
  }))
}

/** Holds after the use has counted, if it was within the limit. */
export function boundOf(use: Limited): Bound {
  return { key: keyOf(use), below: mostOf(use) + 1 }
}

/** Holds while a further use would be within the limit. */
export function hasLeft(use: Limited): Bound {
  return { key: keyOf(use), below: mostOf(use) }
}

/** Refuses the first use that was counted beyond its limit. */
export function refuseBeyond(
  platform: Platform,
  uses: readonly Limited[],
  written: readonly (Entry | undefined)[],
  oauth?: OAuthError,
): void {
  for (const [i, use] of uses.entries())
    if (countOf(written[i]) > mostOf(use)) refuseUntil(platform, rememberEnd(platform, keyOf(use), written[i]), oauth)
}

/** Refuses a subject that has used up the limit. Counts nothing. */
export async function refuseUsedUp(platform: Platform, limit: Limit, subject: string | undefined): Promise<void> {
  if (subject === undefined) return
  const use = { limit, subject }
  refuseRemembered(platform, [use])
  refuseWithoutLeft(platform, use, await platform.keyValue.get(keyOf(use)))
}

/** Refuses by an entry that was already read. */
export function refuseWithoutLeft(platform: Platform, use: Limited, entry: Entry | undefined): void {
  if (countOf(entry) >= mostOf(use)) refuseUntil(platform, rememberEnd(platform, keyOf(use), entry))
}

/** Refuses without asking the store, so that a flood costs it little. */
export function refuseRemembered(platform: Platform, uses: readonly Use[], oauth?: OAuthError): void {
  for (const use of uses.filter(isLimited)) refuseUntil(platform, rememberedEnd(platform, keyOf(use)), oauth)
}

/** Counts one use, and refuses nothing. */
export function addUse({ keyValue }: Platform, limit: Limit, subject: string): Promise<number> {
  return keyValue.increment(keyOf({ limit, subject }), LIMITS[limit].windowSeconds)
}

export async function forgetUses({ keyValue, memory }: Platform, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) memory.forget(key)
  await keyValue.delete(...keys)
}

/** When this key expires in the shared store. */
export async function readEnd(platform: Platform, key: string): Promise<number> {
  return rememberEnd(platform, key, await platform.keyValue.get(key))
}

export function rememberEnd({ memory, now }: Platform, key: string, entry: Entry | undefined): number {
  const end = now() + (entry?.expiresInSeconds ?? 1) * 1000
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

export function countOf(entry: Entry | undefined): number {
  return Number(entry?.value ?? 0)
}

export function mostOf({ limit, most }: Pick<Use, 'limit' | 'most'>): number {
  return most ?? LIMITS[limit].most
}

export function keyOf({ limit, subject }: Limited): string {
  return `limit:${limit}:${subject}`
}
