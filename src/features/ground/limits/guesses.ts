import type { Bound, Entry, Write } from '../../../platform/key-value/key-value.ts'
import type { Platform } from '../../../platform/platform.ts'
import { neighbourhoodOf, networkOf } from '../../../rules/networks.ts'
import { Refusal } from '../../../rules/refusal.ts'
import {
  addUse,
  boundOf,
  countOf,
  countUse,
  countUses,
  forgetUses,
  hasLeft,
  isLimited,
  keyOf,
  LIMITS,
  type Limited,
  mostOf,
  readEnd,
  refuseBeyond,
  refuseRemembered,
  refuseUntil,
  refuseWithoutLeft,
  rememberedEnd,
  type Use,
  writesOf,
} from './limits.ts'

/** A caller who sends a password or a code. None of the keys reveals whether the account exists. */
export interface Guesser {
  /** The scope of a wait: the account together with this network, or with a browser that has signed in before. */
  readonly target: string
  /** Failures from this network over all accounts; absent for a browser that has signed in before. */
  readonly network: string | undefined
  /** Password guesses, except in a browser that has signed in with the account before. */
  readonly crowd?: Crowd
  /** The allowances for guesses at a code: each is used once the one before is used up. */
  readonly codes?: Codes
  /** Limits on right guesses, which cost something too. */
  readonly uses?: readonly Use[]
}

type Codes = readonly (readonly Limited[])[]

/** Guessers counted together: all strangers to an account, or all its sessions; and those of one neighbourhood. */
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
  guesser: Guesser,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const turn = await takeTurn(platform, guesser)
  const found = await check()
  if (found === undefined) await countWrong(platform, guesser, turn)
  else await countRight(platform, guesser, turn)
  return found
}

interface Turn {
  /** Waits have begun, and this is the try that can pass now. */
  readonly hasWaited: boolean
  readonly isUnderAttack: boolean
  /** The allowance that a code has used: a right one gives it back. */
  readonly used: readonly Limited[]
}

async function takeTurn(platform: Platform, guesser: Guesser): Promise<Turn> {
  const { target, crowd, codes = [], uses = [] } = guesser
  const limits = [...uses, failuresIn(guesser)].filter(isLimited)
  const waits = { limit: 'waits', subject: target } as const
  refuseRemembered(platform, limits)
  refuseUntil(platform, rememberedEnd(platform, waitKeyOf(target)))
  const [first = []] = codes
  // A try that the wait refuses uses up none of the few tries.
  const isOn = [...limits.map(hasLeft), { key: keyOf(waits), below: 1 }]
  const { found, written } = await platform.keyValue.together(
    [...limits, waits, ...failuresOf(crowd)].map(keyOf),
    guessesOf(rememberedUsedUp(platform, first) === undefined ? first : [], isOn),
  )
  for (const use of limits) refuseWithoutLeft(platform, use, found.get(keyOf(use)))
  const hasWaited = await waitInTurn(platform, target, countOf(found.get(keyOf(waits))))
  const used = await countGuess(platform, codes, written)
  const [failures = 0] = failuresOf(crowd).map((use) => countOf(found.get(keyOf(use))))
  return { hasWaited, used, isUnderAttack: await limitDuringAttack(platform, crowd, failures) }
}

function failuresIn({ network }: Guesser): Use {
  return { limit: 'network-failures', subject: network }
}

function failuresOf(crowd: Crowd | undefined): readonly Limited[] {
  return crowd ? [{ limit: 'account-failures', subject: crowd.account }] : []
}

function failuresAt(target: string): Limited {
  return { limit: 'wrong-passwords', subject: target }
}

/**
 * Counts a guess at a code, unless it is counted already, and returns the allowance that it uses. The count comes
 * before the comparison, so that simultaneous guesses are compared no more often than successive ones.
 */
async function countGuess(
  platform: Platform,
  codes: Codes,
  first: readonly (Entry | undefined)[],
): Promise<readonly Limited[]> {
  let end: number | undefined
  for (const uses of codes) {
    const isCounted = uses === codes[0] && first[0] !== undefined
    end = isCounted ? undefined : rememberedUsedUp(platform, uses)
    if (end !== undefined) continue
    const counted = isCounted ? first : (await platform.keyValue.together([], guessesOf(uses))).written
    const usedUp = uses.find((use, i) => counted[i] === undefined || countOf(counted[i]) > mostOf(use))
    if (!usedUp) return uses
    end = await readEnd(platform, keyOf(usedUp))
  }
  if (codes.length === 0) return []
  throw new Refusal(
    'RATE_LIMITED',
    'Too many wrong codes for this account today. Sign in where you have signed in before or with a passkey, or reset your password by email.',
    { retryAfterSeconds: ((end ?? 0) - platform.now()) / 1000 },
  )
}

/** When a used-up allowance ends. Only ends of limits with their own figure are remembered. */
function rememberedUsedUp(platform: Platform, uses: readonly Limited[]): number | undefined {
  const ends = uses.map((use) => (use.most === undefined ? rememberedEnd(platform, keyOf(use)) : undefined))
  return ends.find((end) => end !== undefined && end > platform.now())
}

/** Beyond an allowance nothing is counted: a new password doubles it, and counting continues from its end. */
function guessesOf(uses: readonly Limited[], bounds: readonly Bound[] = []): readonly Write[] {
  return uses.flatMap((use, i) => writesOf([use], [...bounds, ...uses.slice(0, i).map(boundOf), hasLeft(use)]))
}

/**
 * If the crowd has guessed at an account too often, besides the caller's own failures, each neighbourhood has a few
 * tries per day: enough for the owner, too few for a guesser with many networks or many browsers.
 */
async function limitDuringAttack(platform: Platform, crowd: Crowd | undefined, failures: number): Promise<boolean> {
  if (!crowd || failures < LIMITS['account-failures'].most) return false
  await countUse(platform, 'tries-under-attack', crowd.neighbourhood)
  return true
}

async function countWrong(platform: Platform, guesser: Guesser, { hasWaited, isUnderAttack }: Turn): Promise<void> {
  const { target, crowd } = guesser
  const ofNetwork = [failuresIn(guesser)].filter(isLimited)
  const others = [...failuresOf(crowd), ...(hasWaited ? [] : [failuresAt(target)])]
  refuseRemembered(platform, ofNetwork)
  const { written } = await platform.keyValue.together(
    [],
    [...writesOf(ofNetwork), ...others.flatMap((use) => writesOf([use], ofNetwork.map(boundOf)))],
  )
  refuseBeyond(platform, ofNetwork, written)
  const counts = written.slice(ofNetwork.length).map(countOf)
  const failures = crowd ? (counts.shift() ?? 0) : 0
  const most = mostOf(failuresAt(target))
  const wrong = counts[0] ?? 0
  if (wrong >= most) await beginWaits(platform, target)
  if (wrong > most) await refuseUntilWaitEnds(platform, target)
  // Others can have been wrong at the same time.
  if (!isUnderAttack) await limitDuringAttack(platform, crowd, failures - 1)
}

/** Refuses if too many other tries were wrong at the same time; otherwise the failures are forgotten. */
async function countRight(platform: Platform, guesser: Guesser, turn: Turn): Promise<void> {
  const { target, crowd, uses = [] } = guesser
  const { hasWaited, used } = turn
  const limited = uses.filter(isLimited)
  const ofNetwork = [failuresIn(guesser)].filter(isLimited)
  const atTarget = failuresAt(target)
  const ofAccount = turn.isUnderAttack ? [] : failuresOf(crowd)
  const mustBeLeft = [...ofNetwork, ...(hasWaited ? [] : [atTarget]), ...ofAccount].map(hasLeft)
  const { found, written } = await platform.keyValue.together([...ofNetwork, atTarget, ...ofAccount].map(keyOf), [
    ...writesOf(limited, mustBeLeft),
    ...returnsOf(used, mustBeLeft),
  ])
  const [failures = 0] = ofAccount.map((use) => countOf(found.get(keyOf(use))))
  const isUnderAttack = turn.isUnderAttack || (await limitDuringAttack(platform, crowd, failures))
  for (const use of ofNetwork) refuseWithoutLeft(platform, use, found.get(keyOf(use)))
  const wrong = countOf(found.get(keyOf(atTarget)))
  if (!hasWaited && wrong >= mostOf(atTarget)) {
    await beginWaits(platform, target)
    await refuseUntilWaitEnds(platform, target)
  }
  const forgotten = [
    ...(hasWaited || wrong > 0 ? [waitKeyOf(target), keyOf(atTarget), keyOf({ limit: 'waits', subject: target })] : []),
    ...(isUnderAttack && crowd ? [keyOf({ limit: 'tries-under-attack', subject: crowd.neighbourhood })] : []),
  ]
  if (forgotten.length > 0) await forgetUses(platform, ...forgotten)
  refuseBeyond(platform, limited, written)
  // Some uses were left out above, if an attack began or others were wrong between the read and the write.
  const isLeftOut = (_: Use, i: number) => written[i] === undefined
  await countUses(platform, limited.filter(isLeftOut))
  const unreturned = used.filter((use, i) => isLeftOut(use, limited.length + i))
  if (unreturned.length > 0) await platform.keyValue.together([], returnsOf(unreturned))
}

function returnsOf(used: readonly Limited[], bounds: readonly Bound[] = []): readonly Write[] {
  return used.map((use) => ({
    key: keyOf(use),
    lifetimeSeconds: LIMITS[use.limit].windowSeconds,
    add: -1,
    while: bounds,
  }))
}

/** The guesser for a browser that has not signed in to this account before. */
export function guesserInNewBrowser(account: string, { address }: { readonly address: string }): Guesser {
  const neighbourhood = neighbourhoodOf(address)
  const network = networkOf(address)
  return {
    target: `${account}:${network ?? neighbourhood}`,
    network,
    crowd: { account, neighbourhood: `${account}:${neighbourhood}` },
  }
}

/** The facts that tell the owner's places from a stranger's. */
interface Places {
  /** The id of a browser that has signed in with the current password. */
  readonly browser: string | undefined
  readonly isKnownNetwork: boolean
  /** The password was changed less than a day ago; the one from the sign-up does not count. */
  readonly hasNewPassword: boolean
}

/**
 * The guesser of an account's codes. Strangers share one total, whatever their networks, and never use up that of the
 * known places. A new password doubles the latter, so that a reset lets its browser in whatever was used up before.
 */
export function factorGuesser(
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

/** Once a guesser has used up the first allowance, the owner in another neighbourhood still has a few tries. */
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

/** True if waits have begun and this is the try that can pass now. */
async function waitInTurn(platform: Platform, target: string, waits: number): Promise<boolean> {
  if (waits === 0) return false
  const { key, value, lifetimeSeconds } = waitOf(target, waits)
  if (!(await platform.keyValue.setIfAbsent(key, value, lifetimeSeconds))) await refuseUntilWaitEnds(platform, target)
  await addUse(platform, 'waits', target)
  return true
}

/** Every try that finds the limit reached begins the waits, since none knows whether another one has done so. */
async function beginWaits(platform: Platform, target: string): Promise<void> {
  const first = { key: keyOf({ limit: 'waits', subject: target }), value: '1' }
  const writes = [waitOf(target, 0), { ...first, lifetimeSeconds: LIMITS.waits.windowSeconds }]
  await platform.keyValue.together([], writes)
}

function waitOf(target: string, waits: number) {
  const lifetimeSeconds = Math.min(FIRST_WAIT_SECONDS * 2 ** waits, LONGEST_WAIT_SECONDS)
  return { key: waitKeyOf(target), value: '', lifetimeSeconds }
}

async function refuseUntilWaitEnds(platform: Platform, target: string): Promise<void> {
  refuseUntil(platform, await readEnd(platform, waitKeyOf(target)))
}

function waitKeyOf(target: string): string {
  return `limit:gate:${target}`
}
