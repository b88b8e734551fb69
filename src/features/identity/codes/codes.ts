import { randomInt } from 'node:crypto'
import type { Compilable, Expression } from 'kysely'
import { v7 as newId } from 'uuid'
import type { CodePurpose } from '../../../database/schema.ts'
import type { Meta } from '../../../database/store.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../../rules/time.ts'
import { mailStatement, refuseFullQueue } from '../../mail/queue.ts'
import { letterHead } from '../../mail/sending.ts'
import { lockUserByEmail } from '../../users/statements.ts'
import { codeLetter } from './letters.ts'
import * as store from './store.ts'

const LIFETIME_SECONDS = 300
const KEPT_AFTER_EXPIRY_MILLISECONDS = HOUR_MILLISECONDS

/**
 * A new code voids the old. Code and mail are written for every address alike, so the request tells
 * nothing of who has an account; whether the mail goes out is decided where it is sent.
 */
export async function sendCode(platform: Platform, purpose: CodePurpose, email: string): Promise<void> {
  await refuseFullQueue(platform)
  const now = platform.now()
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const expiresAt = now + LIFETIME_SECONDS * 1000
  const letter = codeLetter(purpose, await letterHead(platform), code)
  await platform.meta.batch([
    store.replaceCode(platform.meta, {
      id: newId(),
      purpose,
      email,
      code_hash: codeHash(platform, purpose, email, code),
      attempts: 0,
      created_at: now,
      expires_at: expiresAt,
    }),
    mailStatement(platform, { kind: purpose, to: email, expiresAt, ...letter }),
  ])
  platform.background.wake('mail')
}

/** Refuses before anything dear is done for a code that cannot be right. */
export async function refuseDeadCode(platform: Platform, purpose: CodePurpose, email: string): Promise<void> {
  const guess = guessOf(platform, purpose, email, '')
  const state = await store.codeState(platform.meta, guess)
  refuseDead(platform, state, state?.attempts ?? 0)
}

/** What a code is for. Each statement depends on the condition that this guess was right. */
export interface Effects<Row> {
  readonly before: readonly Compilable<unknown>[]
  /** Returns a row if the guess was right. */
  readonly result: Compilable<Row>
}

/** Counts the attempt, compares, and does what the code is for, in one batch. */
export async function spendCode<Row>(
  platform: Platform,
  purpose: CodePurpose,
  email: string,
  code: string,
  effectsIf: (isRight: Expression<unknown>) => Effects<Row>,
): Promise<Row> {
  const { meta } = platform
  const guess = guessOf(platform, purpose, email, code)
  const { before, result } = effectsIf(store.isSpent(meta, guess))
  const [, counted, ...rest] = await meta.batch([
    lockUserByEmail(meta, email),
    store.countAttempt(meta, guess),
    ...before,
    result,
    store.countFailure(meta, guess),
    store.deleteSpent(meta, guess),
  ] as const)
  const [effect] = rowsOf(result, rest[before.length])
  if (effect !== undefined) return effect
  refuseDead(platform, await store.codeState(meta, guess), (counted[0]?.attempts ?? 0) - 1)
  throw wrongCode()
}

/** No type can say at which place of a batch of any length a statement stands. */
function rowsOf<Row>(_statement: Compilable<Row>, rows: readonly unknown[] = []): readonly Row[] {
  return rows as readonly Row[]
}

function refuseDead(platform: Platform, state: store.CodeState | undefined, attemptsBefore: number): void {
  if (!state) throw wrongCode()
  if (attemptsBefore >= store.MOST_ATTEMPTS || state.failures >= store.MOST_FAILURES_A_DAY) {
    throw new Refusal('TOO_MANY_ATTEMPTS', 'Too many wrong codes. Ask for a new one later.')
  }
  if (state.expires_at <= platform.now()) throw new Refusal('OTP_EXPIRED', 'This code has expired.')
}

function wrongCode(): Refusal {
  return new Refusal('INVALID_OTP', 'This code is not right.')
}

function guessOf(platform: Platform, purpose: CodePurpose, email: string, code: string): store.Guess {
  const now = platform.now()
  const day = Math.floor(now / DAY_MILLISECONDS)
  return { purpose, email, codeHash: codeHash(platform, purpose, email, code), now, day }
}

/** Keyed, and bound to purpose and address: a million codes are soon hashed. */
function codeHash({ signer }: Platform, purpose: CodePurpose, email: string, code: string): string {
  return signer.digest(`code:${purpose}`, `${email}:${code}`)
}

/** For the batch that deletes the user of this address. */
export function deleteCodesOf(meta: Meta, email: store.AddressQuery) {
  return store.deleteCodesOf(meta, email)
}

/** Dead codes stay for an hour, so that they are told from wrong ones. */
export function codeSweep({ meta, now }: Platform): Job {
  return {
    name: 'code-sweep',
    everySeconds: 600,
    async run() {
      await store.deleteDeadCodes(meta, now() - KEPT_AFTER_EXPIRY_MILLISECONDS)
      await store.deleteOldFailures(meta, Math.floor(now() / DAY_MILLISECONDS))
    },
  }
}
