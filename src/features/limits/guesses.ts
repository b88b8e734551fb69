import type { Platform } from '../../platform/platform.ts'
import {
  addUse,
  countUse,
  forgetUses,
  knownEnd,
  LIMITS,
  recalledEnd,
  refuseUntil,
  refuseUsedUp,
  usesOf,
} from './limits.ts'

interface Guesser {
  /** What is guessed at; says nothing of whether it exists. */
  readonly target: string
  readonly network: string | undefined
}

const FIRST_WAIT_SECONDS = 30
const LONGEST_WAIT_SECONDS = 15 * 60

/**
 * Checks a password, undefined meaning wrong, within the limits. Failures are counted when the check
 * is done, and beyond the limit neither yes nor no is told: tries at once learn no more than tries one
 * by one. Once the limit is reached one try at a time passes, with growing waits between.
 */
export async function withinGuesses<T>(
  platform: Platform,
  { target, network }: Guesser,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  await refuseUsedUp(platform, 'network-failures', network)
  const hasWaited = await takeTurn(platform, target)
  const found = await check()
  if (found === undefined) {
    await countUse(platform, 'network-failures', network)
    if (!hasWaited) await countFailure(platform, target)
    return undefined
  }
  const failures = await usesOf(platform, 'wrong-passwords', target)
  if (!hasWaited && failures >= LIMITS['wrong-passwords'].most) await refuseAtGate(platform, target)
  if (hasWaited || failures > 0) await forgetFailures(platform, target)
  return found
}

/** Whoever proves in another way to be the owner starts afresh. */
export async function forgetFailures(platform: Platform, target: string): Promise<void> {
  platform.memory.forget(gateOf(target))
  await Promise.all([
    forgetUses(platform, 'wrong-passwords', target),
    forgetUses(platform, 'waits', target),
    platform.keyValue.delete(gateOf(target)),
  ])
}

/** True where waits have begun and this try is the one that may pass now. */
async function takeTurn(platform: Platform, target: string): Promise<boolean> {
  refuseUntil(platform, recalledEnd(platform, gateOf(target)))
  const waits = await usesOf(platform, 'waits', target)
  if (waits === 0) return false
  if (!(await closeGate(platform, target, waits))) await refuseAtGate(platform, target)
  await addUse(platform, 'waits', target)
  return true
}

async function countFailure(platform: Platform, target: string): Promise<void> {
  const { most } = LIMITS['wrong-passwords']
  const failures = await addUse(platform, 'wrong-passwords', target)
  if (failures === most) {
    await closeGate(platform, target, 0)
    await addUse(platform, 'waits', target)
  }
  if (failures > most) await refuseAtGate(platform, target)
}

function closeGate({ keyValue }: Platform, target: string, waits: number): Promise<boolean> {
  const seconds = Math.min(FIRST_WAIT_SECONDS * 2 ** waits, LONGEST_WAIT_SECONDS)
  return keyValue.setIfAbsent(gateOf(target), '', seconds)
}

async function refuseAtGate(platform: Platform, target: string): Promise<void> {
  refuseUntil(platform, await knownEnd(platform, gateOf(target)))
}

function gateOf(target: string): string {
  return `limit:gate:${target}`
}
