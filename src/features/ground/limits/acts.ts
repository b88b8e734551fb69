import { unlessUnavailable } from '../../../database/store.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { tableKeyValue } from '../../../platform/key-value/table.ts'
import type { Platform } from '../../../platform/platform.ts'
import { readEnd, refuseUntil, rememberedEnd } from './limits.ts'

/**
 * Limits on acts of a signed-in user that write rows, send mail or read a lot. People do not come near these limits;
 * they slow down a runaway program, or a thief with a session. `USER_LIMIT_FACTOR` multiplies them.
 */
export const ACTS = {
  feedback: { most: 600, minutes: 10 },
  /** Each can leave a row, since the id is not checked. */
  'read-marks': { most: 6_000, minutes: 10 },
  'preference-changes': { most: 600, minutes: 10 },
  /** Each leaves a row for ten minutes. */
  'authorization-requests': { most: 120, minutes: 10 },
  /** Each leaves a row for months. */
  'personal-tokens': { most: 60, minutes: 60 },
  'profile-changes': { most: 600, minutes: 10 },
  'factor-changes': { most: 60, minutes: 10 },
  /** Each leaves an entry in the audit log, and can be repeated. */
  'account-changes': { most: 600, minutes: 60 },
  /** Each sends the owner a letter. A thief with one session cannot use up what ends it from another. */
  'others-signed-out': { most: 600, minutes: 60, per: 'session' },
  /** Counted once the password is right: without it, a thief with a session cannot use up the owner's. */
  'password-changes': { most: 600, minutes: 60 },
  /** Each checks a credential, and a right one costs as much as a wrong one. */
  confirmations: { most: 60, minutes: 15, per: 'session' },
  /** Each reads all data about the user, and writes anyway. */
  exports: { most: 30, minutes: 60, counted: 'together' },
  'notifications-published': { most: 3_000, minutes: 10 },
  /** Each sends a letter. */
  invitations: { most: 600, minutes: 60 },
  /** Each sends a letter. After a break-in, many users are signed out at once. */
  'users-signed-out': { most: 3_000, minutes: 10 },
  /** Each goes to an address that the administrator chooses. */
  'test-mails': { most: 30, minutes: 60 },
  /** Each asks name servers that others run. */
  'mail-domain-checks': { most: 60, minutes: 60 },
} as const

export type Act = keyof typeof ACTS

/**
 * Counts one act of the caller, and refuses acts beyond the limit, with the time that is left. With a `KV_URL`,
 * processes count together; otherwise each counts most acts for itself, since a database write for each would cost
 * more than it prevents.
 */
export async function countAct({ platform, caller }: SignedInCall, act: Act): Promise<void> {
  const limit = ACTS[act]
  const most = limit.most * platform.config.userLimitFactor
  const seconds = limit.minutes * 60
  const key = `act:${act}:${'per' in limit ? caller.credential.id : caller.user.id}`
  const isTogether = platform.config.keyValueUrl !== undefined || 'counted' in limit
  if (isTogether) await countTogether(platform, `limit:${key}`, most, seconds)
  else countHere(platform, key, most, seconds)
}

async function countTogether(platform: Platform, key: string, most: number, seconds: number): Promise<void> {
  refuseUntil(platform, rememberedEnd(platform, key))
  const uses = await platform.keyValue.increment(key, seconds).catch((error: unknown) => {
    unlessUnavailable(error)
    // These limits slow down people who are signed in; what they write does not depend on the key-value store.
    return tableKeyValue(platform.meta, platform.now).increment(key, seconds)
  })
  if (uses > most) refuseUntil(platform, await readEnd(platform, key).catch(() => platform.now() + seconds * 1000))
}

function countHere(platform: Platform, key: string, most: number, seconds: number): void {
  const { memory, now } = platform
  const started = memory.recall(`${key}:started`)
  const end = (started ?? Number.NEGATIVE_INFINITY) + seconds * 1000
  const isOver = end <= now()
  if (isOver) memory.remember(`${key}:started`, now())
  const uses = isOver ? 0 : (memory.recall(key) ?? 0)
  if (uses >= most) refuseUntil(platform, end)
  memory.remember(key, uses + 1)
}
