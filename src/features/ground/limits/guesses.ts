import type { Platform } from '../../../platform/platform.ts'
import {
  addUse,
  countUse,
  forgetUses,
  LIMITS,
  readEnd,
  refuseUntil,
  refuseUsedUp,
  rememberedEnd,
  usesOf,
} from './limits.ts'
import { neighbourhoodOf, networkOf } from './networks.ts'

/** A caller who sends a password. None of the keys reveals whether the account exists. */
export interface Guesser {
  /**
   * What a wait applies to: the account together with this network, or with a browser that has signed in
   * before.
   */
  readonly target: string
  /** Failures from here over all accounts; absent for a browser that has signed in before. */
  readonly network: string | undefined
  /** Absent for a password in a browser that has signed in with it before. */
  readonly crowd?: Crowd
}

/** Counted together: all strangers to an account, all browsers that know its password, or all its sessions; and those of one network. */
interface Crowd {
  readonly account: string
  readonly neighbourhood: string
}

const FIRST_WAIT_SECONDS = 30
const LONGEST_WAIT_SECONDS = 15 * 60

/**
 * Checks a password, undefined meaning wrong, within the limits. Failures are counted when the check is done,
 * and beyond the limit neither yes nor no is returned, so simultaneous tries learn no more than tries one by
 * one. Once the limit is reached, one try at a time passes, with growing waits between them.
 */
export async function withinGuesses<T>(
  platform: Platform,
  { target, network, crowd }: Guesser,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  await refuseUsedUp(platform, 'network-failures', network)
  const hasWaited = await takeTurn(platform, target)
  // After the wait, so that a try that it refuses is none of the few.
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
  return found
}

/**
 * If they have guessed at an account too often, besides the caller's own failures, each neighbourhood has a few tries
 * per day: enough for the owner, too few for a guesser with many networks or many browsers.
 */
async function limitDuringAttack(
  platform: Platform,
  crowd: Crowd | undefined,
  ownFailures: number,
): Promise<boolean> {
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

/**
 * A caller in a browser that has signed in to this account before, who guesses at something else than the password.
 * Anybody who knows the password can have any number of such browsers.
 */
export function guesserInKnownBrowser(
  account: string,
  browser: string,
  { address }: { readonly address: string },
): Guesser {
  const known = `${account}:browsers`
  return {
    target: `${account}:browser:${browser}`,
    network: undefined,
    crowd: { account: known, neighbourhood: `${known}:${neighbourhoodOf(address)}` },
  }
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
