import type { Query, Rows } from '../../../../database/decision.ts'
import type { CodePurpose, MailedCodeTable } from '../../../../database/schema/people/account.ts'
import type { UserTable } from '../../../../database/schema/people/users.ts'
import type { Call } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { networkOf } from '../../../../rules/networks.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { DAY_MILLISECONDS } from '../../../../rules/time.ts'
import { PREFIX } from '../../../../rules/tokens.ts'
import { type Act, decide } from '../../../ground/acts/acts.ts'
import { countUse, refuseUsedUp } from '../../../ground/limits/limits.ts'
import { lockedUser, lockedUserByEmail } from '../../users/statements.ts'
import { knownBrowserOf, type WithPassword } from '../known-browser.ts'
import { passwordByEmail } from '../statements.ts'
import * as store from './store.ts'

const MOST_ON_OUTSTANDING_CODES = 3
/** Requesting new codes does not raise this limit. */
const MOST_A_DAY = 15
/** Shared by all strangers who guess codes that others requested. The mailed link still works. */
const MOST_OF_ALL_A_DAY = 60

/** A code, or the secret of a link, that a caller shows to prove an address. */
interface ShownCode {
  readonly purpose: CodePurpose
  readonly email: string
  /** The digits, or the secret of the link. */
  readonly otp: string
  /** Whose code it is, if the address is not theirs yet. */
  readonly userId?: string
}

interface Guess {
  readonly purpose: CodePurpose
  readonly secret: 'code' | 'link'
  readonly hash: string
  readonly now: number
  /** Wrong codes with the same guesser are counted together. */
  readonly guesser: string
  /** Codes requested from this network are compared however often strangers have guessed. */
  readonly network: string
}

const KNOWN_BROWSER = 'browser:'

export function networkOrHere({ address }: { readonly address: string }): string {
  return networkOf(address) ?? 'this machine'
}

/**
 * A browser that signed up or signed in with the password is not affected by strangers' wrong codes. These browsers
 * together have as many guesses as all strangers: anybody who knows the password can sign in with any number of
 * browsers, and need not own the address.
 */
function guessOf(call: Call, { purpose, email, otp }: ShownCode, known: WithPassword | undefined): Guess {
  const { platform, sender } = call
  const secret = isLink(otp) ? 'link' : 'code'
  const network = networkOrHere(sender)
  const browser = known && knownBrowserOf(call, known)
  const guesser = browser === undefined ? network : `${KNOWN_BROWSER}${browser}`
  return { purpose, secret, hash: mailedCodeHash(platform, purpose, email, otp), now: platform.now(), guesser, network }
}

function isLink(otp: string): boolean {
  return otp.startsWith(PREFIX.link)
}

/** The hash is keyed, because a million codes are quickly hashed, and bound to purpose and address. */
export function mailedCodeHash({ signer }: Platform, purpose: CodePurpose, email: string, secret: string): string {
  return signer.digest(`code:${purpose}`, `${email}:${secret}`)
}

export function dayOf(time: number): number {
  return Math.floor(time / DAY_MILLISECONDS)
}

/**
 * Each address has its own limits for codes; this one is for a caller who tries many addresses. A link cannot
 * be guessed, so a correct one works whatever others in the network have tried.
 */
export async function withinNetwork<T>({ platform, sender }: Call, otp: string, spend: () => Promise<T>): Promise<T> {
  const network = networkOf(sender.address)
  if (!isLink(otp)) await refuseUsedUp(platform, 'network-failures', network)
  try {
    return await spend()
  } catch (error) {
    if (error instanceof Refusal) await countUse(platform, 'network-failures', network)
    throw error
  }
}

/**
 * Refuses a code that cannot be right before any expensive work. A wrong code passes here: only the decision counts it.
 */
export async function refuseDeadCode(call: Call, shown: ShownCode): Promise<void> {
  const { meta, now } = call.platform
  const { email } = shown
  const [[known], codes, wrong] = await meta.snapshot(
    [
      passwordByEmail(meta, email),
      store.mailedCodesOf(meta, email),
      store.wrongGuesses(meta, email, dayOf(now()), now()),
    ],
    'primary',
  )
  const verdict = judge(guessOf(call, shown, known), codes, wrong)
  if (verdict.refusal && !verdict.counted) throw verdict.refusal
}

interface Owner {
  readonly user: UserTable
  readonly passwordHash: string | null
}

/**
 * Compares the code, counts a wrong one, and runs the work of the decision for a right one, which ends all codes for
 * its purpose.
 */
export function decideMailedCode<const Queries extends readonly Query[], T>(
  call: Call,
  shown: ShownCode,
  first: Queries,
  work: (act: Act, owner: Owner, ...rows: Rows<Queries>) => Promise<T>,
): Promise<T> {
  const { meta, now } = call.platform
  const { purpose, email, userId } = shown
  return decide(
    call,
    [
      userId === undefined ? lockedUserByEmail(meta, email) : lockedUser(meta, userId),
      passwordByEmail(meta, email),
      store.lockedMailedCodes(meta, email),
      store.wrongGuesses(meta, email, dayOf(now()), now()),
      ...first,
    ],
    async (act, [user], [known], codes, wrong, ...rows) => {
      const { refusal, counted } = judge(guessOf(call, shown, known), codes, wrong)
      if (counted) act.write(store.setWrong(meta, email, counted))
      if (refusal) return act.refuse(refusal)
      act.write(store.deleteMailedCodes(meta, purpose, email))
      if (!user) return act.refuse(wrongMailedCode())
      return work(act, { user, passwordHash: known?.password_hash ?? null }, ...(rows as unknown as Rows<Queries>))
    },
  )
}

interface Verdict {
  readonly refusal?: Refusal
  /** The new count, if a wrong code was compared. */
  readonly counted?: store.Wrong
}

/** A link is compared however many codes were wrong; a code only if the guesser has a guess left. */
function judge(guess: Guess, ofAddress: readonly MailedCodeTable[], wrong: readonly store.Wrong[]): Verdict {
  const { purpose, secret, hash, now } = guess
  if (secret === 'link') {
    const code = ofAddress.find((one) => one.purpose === purpose && one.link_hash === hash)
    if (!code) return { refusal: wrongMailedCode() }
    return code.link_expires_at <= now ? { refusal: expired() } : {}
  }
  const codes = ofAddress.filter(({ code_hash }) => code_hash !== '')
  const outstanding = codes.filter((code) => code.purpose === purpose && code.code_expires_at > now)
  if (outstanding.length === 0) {
    return { refusal: codes.some((code) => code.purpose === purpose) ? expired() : wrongMailedCode() }
  }
  const isOver = isCrowdOver(guess, wrong)
  const compared = outstanding.filter(({ asker }) => !isOver || asker === guess.network)
  // Once the crowd is over, networks are counted: anybody who knows the password can have many known browsers.
  const counted = isOver ? { ...guess, guesser: guess.network } : guess
  if (compared.length === 0 || isGuesserOver(counted, wrong)) return { refusal: tooMany() }
  if (compared.some(({ code_hash }) => code_hash === hash)) return {}
  const countsUntil = Math.max(...codes.map(({ code_expires_at }) => code_expires_at))
  return { refusal: wrongMailedCode(), counted: oneMore(counted, wrong, countsUntil) }
}

/** True if the day's guesses are used up: for a known browser, by all known browsers; for a stranger, by everybody. */
function isCrowdOver({ guesser, now }: Guess, wrong: readonly store.Wrong[]): boolean {
  const today = wrong.filter(({ day }) => day === dayOf(now))
  const isKnown = (one: string) => one.startsWith(KNOWN_BROWSER)
  const crowd = isKnown(guesser) ? today.filter((one) => isKnown(one.guesser)) : today
  return crowd.reduce((sum, { failures }) => sum + failures, 0) >= MOST_OF_ALL_A_DAY
}

function isGuesserOver(guess: Guess, wrong: readonly store.Wrong[]): boolean {
  const own = wrong.filter(({ guesser }) => guesser === guess.guesser)
  const today = own.find(({ day }) => day === dayOf(guess.now))
  const counting = own.filter(({ counts_until }) => counts_until > guess.now)
  const onOutstanding = counting.reduce((sum, { failures_on_code }) => sum + failures_on_code, 0)
  return (today?.failures ?? 0) >= MOST_A_DAY || onOutstanding >= MOST_ON_OUTSTANDING_CODES
}

/** A wrong code counts until the last code that is outstanding now has expired. */
function oneMore({ guesser, now }: Guess, wrong: readonly store.Wrong[], countsUntil: number): store.Wrong {
  const own = wrong.find((one) => one.guesser === guesser && one.day === dayOf(now))
  const stillCounts = own !== undefined && own.counts_until > now
  return {
    day: dayOf(now),
    guesser,
    failures: (own?.failures ?? 0) + 1,
    failures_on_code: (stillCounts ? own.failures_on_code : 0) + 1,
    counts_until: Math.max(own?.counts_until ?? 0, countsUntil),
  }
}

export function wrongMailedCode(): Refusal {
  return new Refusal('INVALID_OTP', 'This code is wrong.')
}

function tooMany(): Refusal {
  return new Refusal(
    'TOO_MANY_ATTEMPTS',
    'Too many wrong codes. Use the link in the mail, or wait five minutes and request a new code.',
  )
}

function expired(): Refusal {
  return new Refusal('OTP_EXPIRED', 'This code has expired.')
}
