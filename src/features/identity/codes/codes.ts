import { randomInt } from 'node:crypto'
import { v7 as newId } from 'uuid'
import type { Decision } from '../../../database/decision.ts'
import type { CodePurpose } from '../../../database/schema/people/identity.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Meta } from '../../../database/store.ts'
import type { Call } from '../../../http/route.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { isSynthetic } from '../../../rules/email.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { DAY_MILLISECONDS, DAY_SECONDS, HOUR_MILLISECONDS } from '../../../rules/time.ts'
import { newToken, PREFIX } from '../../../rules/tokens.ts'
import { mailStatement, mailStatementIf, refuseFullQueue } from '../../mail/queue.ts'
import { readerLanguage } from '../../mail/reader-language.ts'
import { letterHead } from '../../mail/sender.ts'
import type { Language } from '../../settings/brand/input.ts'
import type { Settings } from '../../settings/model.ts'
import { currentSettings } from '../../settings/settings.ts'
import { lockedUserByEmail, type Users } from '../../users/statements.ts'
import { codeLetter } from './letters.ts'
import * as store from './store.ts'

const LIFETIME_SECONDS = {
  'email-verification': 300,
  'password-reset': 300,
  invitation: 7 * DAY_SECONDS,
} as const satisfies Record<CodePurpose, number>
const KEPT_AFTER_EXPIRY_MILLISECONDS = HOUR_MILLISECONDS

/**
 * A new code replaces the old one. Code and mail are written for every address alike, so the request does not
 * reveal who has an account; whether the mail goes out is decided when it is sent. A synthetic address gets
 * none, because it has no mailbox.
 */
export async function sendCode(
  { platform, exchange }: Call,
  settings: Settings,
  purpose: CodePurpose,
  email: string,
): Promise<void> {
  await refuseFullQueue(platform)
  if (isSynthetic(email)) return
  const language = readerLanguage(exchange, settings)
  await platform.meta.batch(await codeStatements(platform, purpose, email, { language }))
}

interface For {
  readonly language?: Language | undefined
  /** Neither code nor mail if this query, whose rows the batch has made or locked, finds nobody. */
  readonly users?: Users
}

/** Code and mail, for a batch. An invitation has only a link, which is valid for longer. */
export async function codeStatements(
  platform: Platform,
  purpose: CodePurpose,
  email: string,
  { language, users }: For,
) {
  const now = platform.now()
  const code = purpose === 'invitation' ? undefined : String(randomInt(1_000_000)).padStart(6, '0')
  const link = newToken('link')
  const expiresAt = now + LIFETIME_SECONDS[purpose] * 1000
  const head = await letterHead(platform, await currentSettings(platform), language)
  const letter = codeLetter(purpose, head, {
    code,
    link: linkTo(platform, purpose, email, link),
  })
  const row = {
    id: newId(),
    purpose,
    email,
    code_hash: hashOf(platform, purpose, email, code ?? link),
    link_hash: hashOf(platform, purpose, email, link),
    is_spent: 0,
    created_at: now,
    expires_at: expiresAt,
  } as const
  const mail = { kind: purpose, to: email, expiresAt, ...letter }
  return [
    store.replaceCode(platform.meta, row, users),
    users ? mailStatementIf(platform, mail, users) : mailStatement(platform, mail),
  ]
}

const PAGE = {
  'email-verification': '/verify',
  'password-reset': '/reset',
  invitation: '/invitation',
} as const satisfies Record<CodePurpose, string>

/** In the fragment, which is never sent to a server or written to a log. */
function linkTo({ config }: Platform, purpose: CodePurpose, email: string, link: string): string {
  return `${config.baseUrl}${PAGE[purpose]}#${new URLSearchParams({ email, link })}`
}

export function isLink(otp: string): boolean {
  return otp.startsWith(PREFIX.link)
}

/** Refuses before any expensive work is done for a code that cannot be right. */
export async function refuseDeadCode({ meta }: Platform, guess: store.Guess): Promise<void> {
  const [[code], today] = await meta.snapshot(
    [store.codeOf(meta, guess), store.wrongToday(meta, guess)],
    'primary',
  )
  const refusal = whyDead(guess, code, today)
  if (refusal) throw refusal
  if (guess.secret === 'link' && code?.link_hash !== guess.hash) throw wrongCode()
}

function whyDead(guess: store.Guess, code: store.Code | undefined, today: readonly store.Wrong[]) {
  if (!code) return wrongCode()
  if (!store.mayGuess(guess, code, today)) return tooMany()
  return code.expires_at <= guess.now ? expired() : undefined
}

/** What a right code is for. */
export type Effect<T> = (decision: Decision, user: UserTable) => Promise<T>

/** Compares, counts a wrong code, and does what the code is for. */
export async function spendCode<T>({ meta }: Platform, guess: store.Guess, effect: Effect<T>): Promise<T> {
  const spent = await meta.decide(
    [lockedUserByEmail(meta, guess.email), store.lockedCode(meta, guess), store.wrongToday(meta, guess)],
    async (decision, [user], [code], today) => {
      const refusal = whyDead(guess, code, today)
      if (refusal || !code) return { refusal }
      if (!isRight(guess, code)) {
        if (guess.secret === 'code') decision.write(store.countFailure(meta, guess, code))
        // Returned, since a refusal that is thrown would take the count back.
        return { refusal: wrongCode() }
      }
      decision.write(store.deleteCode(meta, code))
      return { value: user && (await effect(decision, user)) }
    },
  )
  if (spent.value === undefined) throw spent.refusal ?? wrongCode()
  return spent.value
}

function isRight({ secret, hash }: store.Guess, { code_hash, link_hash }: store.Code): boolean {
  return hash === (secret === 'link' ? link_hash : code_hash)
}

export function wrongCode(): Refusal {
  return new Refusal('INVALID_OTP', 'This code is wrong.')
}

function tooMany(): Refusal {
  return new Refusal(
    'TOO_MANY_ATTEMPTS',
    'Too many wrong codes. Use the link in the mail, or request a new code.',
  )
}

function expired(): Refusal {
  return new Refusal('OTP_EXPIRED', 'This code has expired.')
}

export function guessOf(
  platform: Platform,
  purpose: CodePurpose,
  email: string,
  otp: string,
  who: Pick<store.Guess, 'guesser' | 'isKnown'>,
): store.Guess {
  const now = platform.now()
  const day = Math.floor(now / DAY_MILLISECONDS)
  const secret = isLink(otp) ? 'link' : 'code'
  return { purpose, email, secret, hash: hashOf(platform, purpose, email, otp), now, day, ...who }
}

/** Keyed, because a million codes are quickly hashed, and bound to purpose and address. */
function hashOf({ signer }: Platform, purpose: CodePurpose, email: string, secret: string): string {
  return signer.digest(`code:${purpose}`, `${email}:${secret}`)
}

/** For the batch that deletes the user of this address. */
export function deleteCodesOf(meta: Meta, email: store.AddressQuery) {
  return store.deleteCodesOf(meta, email)
}

/** Dead codes stay for an hour, so that they can be distinguished from wrong ones. */
export function codeSweep({ meta, now }: Platform): Job {
  return {
    name: 'code-sweep',
    everySeconds: 600,
    async run() {
      await store.deleteDeadCodes(meta, now() - KEPT_AFTER_EXPIRY_MILLISECONDS)
      await store.deleteOldGuesses(meta, Math.floor(now() / DAY_MILLISECONDS))
    },
  }
}
