import type { CodePurpose, MailedCodeTable } from '../../../../database/schema/people/account.ts'
import type { UserTable } from '../../../../database/schema/people/users.ts'
import type { Call } from '../../../../http/route.ts'
import type { Job } from '../../../../platform/background.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../../../rules/time.ts'
import { PREFIX } from '../../../../rules/tokens.ts'
import { type Act, decide } from '../../../ground/acts/acts.ts'
import { networkOf } from '../../../ground/limits/networks.ts'
import { lockedUserByEmail } from '../../users/statements.ts'
import * as store from './store.ts'

const KEPT_AFTER_EXPIRY_MILLISECONDS = HOUR_MILLISECONDS

const MOST_ON_OUTSTANDING_CODES = 3
/** Requesting new codes does not allow more. */
const MOST_A_DAY = 15
/** Shared by all strangers, at codes that others asked for. The mailed link still works. */
const MOST_OF_ALL_A_DAY = 60

/** The sender of a code. Wrong codes with the same guesser are counted together. */
interface Guesser {
  readonly guesser: string
  /** One of the account's own browsers: strangers' wrong codes do not affect it. */
  readonly isKnown: boolean
  /** Codes that were asked for from here are compared whatever strangers have guessed. */
  readonly network: string
}

interface Guess extends Guesser {
  readonly purpose: CodePurpose
  readonly email: string
  readonly secret: 'code' | 'link'
  readonly hash: string
  readonly now: number
}

const KNOWN_BROWSER = 'browser:'

/**
 * A guesser who is one of the account's own browsers. All of these together have as many guesses as all strangers:
 * anybody who knows the password can sign in with any number of browsers, and need not own the address.
 */
export function knownBrowser(id: string, client: { readonly address: string }): Guesser {
  return { guesser: `${KNOWN_BROWSER}${id}`, isKnown: true, network: networkOrHere(client) }
}

export function strangerFrom(client: { readonly address: string }): Guesser {
  const network = networkOrHere(client)
  return { guesser: network, isKnown: false, network }
}

export function networkOrHere({ address }: { readonly address: string }): string {
  return networkOf(address) ?? 'this machine'
}

export function guessOf(platform: Platform, purpose: CodePurpose, email: string, otp: string, guesser: Guesser): Guess {
  const secret = isLink(otp) ? 'link' : 'code'
  const hash = hashOf(platform, purpose, email, otp)
  return { purpose, email, secret, hash, now: platform.now(), ...guesser }
}

export function isLink(otp: string): boolean {
  return otp.startsWith(PREFIX.link)
}

/** Keyed, because a million codes are quickly hashed, and bound to purpose and address. */
export function hashOf({ signer }: Platform, purpose: CodePurpose, email: string, secret: string): string {
  return signer.digest(`code:${purpose}`, `${email}:${secret}`)
}

export function dayOf(time: number): number {
  return Math.floor(time / DAY_MILLISECONDS)
}

/** Refuses before any expensive work is done for a code that cannot be right. Tells nothing that is not counted. */
export async function refuseDeadCode({ meta }: Platform, guess: Guess): Promise<void> {
  const { email, now } = guess
  const [codes, wrong] = await meta.snapshot(
    [store.codesOf(meta, email), store.wrongCodes(meta, email, dayOf(now), now)],
    'primary',
  )
  const verdict = judge(guess, codes, wrong)
  if (verdict.refusal && !verdict.counted) throw verdict.refusal
}

/** The effect of a right code. */
export type Effect<T> = (act: Act, user: UserTable) => Promise<T>

/** Compares, counts a wrong code, and does what the code is for. The others for the same purpose end with it. */
export async function spendCode<T>(call: Call, guess: Guess, effect: Effect<T>): Promise<T> {
  const { meta } = call.platform
  const { purpose, email, now } = guess
  return decide(
    call,
    [lockedUserByEmail(meta, email), store.lockedCodes(meta, email), store.wrongCodes(meta, email, dayOf(now), now)],
    async (act, [user], codes, wrong) => {
      const { refusal, counted } = judge(guess, codes, wrong)
      if (counted) act.write(store.setWrong(meta, email, counted))
      if (refusal) return act.refuse(refusal)
      act.write(store.deleteCodes(meta, purpose, email))
      return user ? effect(act, user) : act.refuse(wrongCode())
    },
  )
}

interface Verdict {
  readonly refusal?: Refusal
  /** A wrong code that was compared. */
  readonly counted?: store.Wrong
}

/** A link is compared however many codes were wrong; a code only if the guesser has a guess left. */
function judge(guess: Guess, ofAddress: readonly MailedCodeTable[], wrong: readonly store.Wrong[]): Verdict {
  const { purpose, secret, hash, now } = guess
  if (secret === 'link') {
    const code = ofAddress.find((one) => one.purpose === purpose && one.link_hash === hash)
    if (!code) return { refusal: wrongCode() }
    return code.link_expires_at <= now ? { refusal: expired() } : {}
  }
  const codes = ofAddress.filter(({ code_hash }) => code_hash !== '')
  const outstanding = codes.filter((code) => code.purpose === purpose && code.code_expires_at > now)
  if (outstanding.length === 0) {
    return { refusal: codes.some((code) => code.purpose === purpose) ? expired() : wrongCode() }
  }
  const isOver = isCrowdOver(guess, wrong)
  const compared = outstanding.filter(({ asker }) => !isOver || asker === guess.network)
  // Then the network is what counts: anybody who knows the password can have any number of known browsers in it.
  const counted = isOver ? { ...guess, guesser: guess.network } : guess
  if (compared.length === 0 || isGuesserOver(counted, wrong)) return { refusal: tooMany() }
  if (compared.some(({ code_hash }) => code_hash === hash)) return {}
  const countsUntil = Math.max(...codes.map(({ code_expires_at }) => code_expires_at))
  return { refusal: wrongCode(), counted: oneMore(counted, wrong, countsUntil) }
}

/** All strangers, or all known browsers, have used up the day's guesses. */
function isCrowdOver({ isKnown, now }: Guess, wrong: readonly store.Wrong[]): boolean {
  const today = wrong.filter(({ day }) => day === dayOf(now))
  const crowd = isKnown ? today.filter(({ guesser }) => guesser.startsWith(KNOWN_BROWSER)) : today
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

export function wrongCode(): Refusal {
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

/** Dead codes stay for an hour, so that they can be distinguished from wrong ones. */
export function codeSweep({ meta, now }: Platform): Job {
  return {
    name: 'code-sweep',
    everySeconds: 600,
    async run() {
      await store.deleteDeadCodes(meta, now() - KEPT_AFTER_EXPIRY_MILLISECONDS)
      await store.deleteOldGuesses(meta, dayOf(now()), now())
      await store.deleteOldLetterCounts(meta, dayOf(now()))
    },
  }
}
