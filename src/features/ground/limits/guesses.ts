import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import {
  addUse,
  countUse,
  endIfUsedUp,
  forgetUses,
  LIMITS,
  readEnd,
  refuseUntil,
  refuseUsedUp,
  rememberedEnd,
  returnUse,
  type Use,
  usesOf,
} from './limits.ts'
import { neighbourhoodOf, networkOf } from './networks.ts'

/** A caller who sends a password or a code. None of the keys reveals whether the account exists. */
export interface Guesser {
  /** The scope of a wait: the account together with this network, or with a browser that has signed in before. */
  readonly target: string
  /** Failures from here over all accounts; absent for a browser that has signed in before. */
  readonly network: string | undefined
  /** Password guesses, except in a browser that has signed in with the account before. */
  readonly crowd?: Crowd
  /** The allowance a guess at a code uses; once that is used up, the next one. */
  readonly codes?: Codes
}

type Codes = readonly (readonly Use[])[]

/** Counted together: all strangers to an account, or all its sessions; and those of one neighbourhood. */
interface Crowd {
  readonly account: string
  readonly neighbourhood: string
}

const FIRST_WAIT_SECONDS = 30
const LONGEST_WAIT_SECONDS = 15 * 60

/**
 * Checks a password or code, undefined meaning wrong, within the limits. Failures are counted when the check is done,
 * and beyond the limit neither yes nor no is returned, so simultaneous tries learn no more than tries one by
 * one. Once the limit is reached, one try at a time passes, with growing waits between them.
 */
export async function withinGuesses<T>(
  platform: Platform,
  { target, network, crowd, codes }: Guesser,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  await refuseUsedUp(platform, 'network-failures', network)
  const hasWaited = await takeTurn(platform, target)
  // Checked after the wait, so that a try refused by the wait does not use one of the few.
  const used = codes && (await countGuess(platform, codes))
  const wasUnderAttack = await limitDuringAttack(platform, crowd, 0)
  const found = await check()
  const isWrong = found === undefined
  if (isWrong) {
    await countUse(platform, 'network-failures', network)
    if (crowd) await addUse(platform, 'account-failures', crowd.account)
    if (!hasWaited) await countFailure(platform, target)
  }
  // Others can have been wrong at the same time.
  const isUnderAttack = wasUnderAttack || (await limitDuringAttack(platform, crowd, isWrong ? 1 : 0))
  if (isWrong) return undefined
  await refuseUsedUp(platform, 'network-failures', network)
  await forgetOrRefuse(platform, target, hasWaited)
  if (crowd && isUnderAttack) await forgetUses(platform, 'tries-under-attack', crowd.neighbourhood)
  if (used) await Promise.all(used.map((use) => returnUse(platform, use)))
  return found
}

/**
 * Counts a guess at a code, and returns the allowance it used: a right guess gives it back. Counted before the code is
 * compared, so that of any number at once no more are compared than one by one.
 */
async function countGuess(platform: Platform, codes: Codes): Promise<readonly Use[]> {
  let end: number | undefined
  for (const uses of codes) {
    end = await endOfFirstUsedUp(platform, uses)
    if (end === undefined) return uses
  }
  throw new Refusal(
    'RATE_LIMITED',
    'Too many wrong codes for this account today. Sign in where you have signed in before or with a passkey, or reset your password by email.',
    { retryAfterSeconds: ((end ?? 0) - platform.now()) / 1000 },
  )
}

async function endOfFirstUsedUp(platform: Platform, uses: readonly Use[]): Promise<number | undefined> {
  for (const use of uses) {
    const end = await endIfUsedUp(platform, use)
    if (end !== undefined) return end
  }
  return undefined
}

/**
 * If they have guessed at an account too often, besides the caller's own failures, each neighbourhood has a few tries
 * per day: enough for the owner, too few for a guesser with many networks or many browsers.
 */
async function limitDuringAttack(platform: Platform, crowd: Crowd | undefined, ownFailures: number): Promise<boolean> {
  if (!crowd) return false
  const failures = (await usesOf(platform, 'account-failures', crowd.account)) - ownFailures
  const isUnderAttack = failures >= LIMITS['account-failures'].most
  if (isUnderAttack) await countUse(platform, 'tries-under-attack', crowd.neighbourhood)
  return isUnderAttack
}

/** A caller in a browser that has not signed in to this account before. */
export function guesserInNewBrowser(account: string, { address }: { readonly address: string }): Guesser {
  const neighbourhood = neighbourhoodOf(address)
  const network = networkOf(address)
  return {
    target: `${account}:${network ?? neighbourhood}`,
    network,
    crowd: { account, neighbourhood: `${account}:${neighbourhood}` },
  }
}

/** Tells the owner's places from a stranger's. */
interface Places {
  /** The id of a browser that has signed in with the current password. */
  readonly browser: string | undefined
  readonly isKnownNetwork: boolean
  /** The password was changed less than a day ago; the one from the sign-up does not count. */
  readonly hasNewPassword: boolean
}

/**
 * A caller who guesses at an account's codes. Strangers share one total, whatever they are in, and never use up that of
 * the known places. A new password doubles the latter, so that a reset lets its browser in whatever was used up before.
 */
export function codeGuesser(
  account: string,
  { browser, isKnownNetwork, hasNewPassword }: Places,
  { address }: { readonly address: string },
): Guesser {
  const network = networkOf(address)
  const isKnown = browser !== undefined || isKnownNetwork
  return {
    target: `${account}:${browser === undefined ? (network ?? neighbourhoodOf(address)) : `browser:${browser}`}`,
    network: browser === undefined ? network : undefined,
    codes: isKnown
      ? guessesInKnownPlaces(account, address, hasNewPassword)
      : [[{ limit: 'strangers-code-guesses', subject: account }]],
  }
}

/** Once a guesser has used them up, the owner in another neighbourhood still has a few. */
export function guessesInKnownPlaces(account: string, address: string, hasNewPassword = false): Codes {
  const twice = hasNewPassword && { most: 2 * LIMITS['known-code-guesses'].most }
  return [
    [{ limit: 'known-code-guesses', subject: account, ...twice }],
    [
      { limit: 'tries-under-attack', subject: `${account}:${neighbourhoodOf(address)}` },
      { limit: 'further-code-guesses', subject: account },
    ],
  ]
}

/** Clears the failures after a right password. Refuses if too many other tries were wrong at the same time. */
async function forgetOrRefuse(platform: Platform, target: string, hasWaited: boolean): Promise<void> {
  const failures = await usesOf(platform, 'wrong-passwords', target)
  if (!hasWaited && failures >= LIMITS['wrong-passwords'].most) await refuseUntilWaitEnds(platform, target)
  if (hasWaited || failures > 0) await forgetFailures(platform, target)
}

async function forgetFailures(platform: Platform, target: string): Promise<void> {
  platform.memory.forget(waitKeyOf(target))
  await Promise.all([
    forgetUses(platform, 'wrong-passwords', target),
    forgetUses(platform, 'waits', target),
    platform.keyValue.delete(waitKeyOf(target)),
  ])
}

/** True if waits have begun and this is the try that can pass now. */
async function takeTurn(platform: Platform, target: string): Promise<boolean> {
  refuseUntil(platform, rememberedEnd(platform, waitKeyOf(target)))
  const waits = await usesOf(platform, 'waits', target)
  if (waits === 0) return false
  if (!(await beginWait(platform, target, waits))) await refuseUntilWaitEnds(platform, target)
  await addUse(platform, 'waits', target)
  return true
}

async function countFailure(platform: Platform, target: string): Promise<void> {
  const { most } = LIMITS['wrong-passwords']
  const failures = await addUse(platform, 'wrong-passwords', target)
  if (failures === most) {
    await beginWait(platform, target, 0)
    await addUse(platform, 'waits', target)
  }
  if (failures > most) await refuseUntilWaitEnds(platform, target)
}

function beginWait({ keyValue }: Platform, target: string, waits: number): Promise<boolean> {
  const seconds = Math.min(FIRST_WAIT_SECONDS * 2 ** waits, LONGEST_WAIT_SECONDS)
  return keyValue.setIfAbsent(waitKeyOf(target), '', seconds)
}

async function refuseUntilWaitEnds(platform: Platform, target: string): Promise<void> {
  refuseUntil(platform, await readEnd(platform, waitKeyOf(target)))
}

function waitKeyOf(target: string): string {
  return `limit:gate:${target}`
}
