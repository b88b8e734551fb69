import type { Call } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import {
  type Guesser,
  guesserInKnownBrowser,
  guesserInNewBrowser,
  withinGuesses,
} from '../../ground/limits/guesses.ts'
import { backupCodeProof, totpProof } from '../factors/proofs.ts'
import { knownBrowserOf } from '../identity/passwords/known-browser.ts'
import { findPasswordHash } from '../identity/passwords/statements.ts'
import type { Proof } from '../sessions/second-step/second-step.ts'

export type CodeKind = 'totp' | 'backup_code'

/** The proof of a correct code, within the limits for guesses. Undefined if the code is wrong. */
export function findCodeProof(
  { platform }: Call,
  userId: string,
  kind: CodeKind,
  code: string,
  guesser: Guesser,
): Promise<Proof | undefined> {
  return withinGuesses(platform, guesser, () =>
    kind === 'totp' ? totpProof(platform, userId, code) : backupCodeProof(platform, userId, code),
  )
}

export function wrongCode(kind: CodeKind): Refusal {
  return kind === 'totp'
    ? new Refusal('INVALID_CODE', 'This code is wrong or was used before. Check the clock of your device.')
    : new Refusal('INVALID_BACKUP_CODE', 'This backup code is wrong or was used before.')
}

/** Counted apart from the first step, so that strangers who fail that step cannot slow down the user. */
export async function secondStepGuesser(call: Call, userId: string): Promise<Guesser> {
  const account = `second-step:${userId}`
  const password_hash = (await findPasswordHash(call.platform.meta, userId)) ?? null
  const browser = knownBrowserOf(call, { id: userId, password_hash })
  if (browser !== undefined) return guesserInKnownBrowser(account, browser, call.sender)
  return guesserInNewBrowser(account, call.sender)
}
