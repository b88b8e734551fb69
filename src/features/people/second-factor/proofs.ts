import { v7 as newId } from 'uuid'
import type { Platform } from '../../../platform/platform.ts'
import { canOpen } from '../../../platform/secrets/secret-box.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { type Guesser, withinGuesses } from '../../ground/limits/guesses.ts'
import type { Proof } from '../sessions/pending-sign-in.ts'
import * as backupCodeStore from './backup-code-store.ts'
import { backupCodeHash } from './backup-codes.ts'
import { matchingStep } from './totp.ts'
import * as totpStore from './totp-store.ts'

export const SEALED_FOR = 'totp'

export type CodeKind = 'totp' | 'backup_code'

/** The proof of a correct code, within the limits for guesses. Undefined if the code is wrong. */
export function findCodeProof(
  platform: Platform,
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

/** Undefined if the code is wrong, if its step was already used, or if the secret was sealed under another key. */
async function totpProof(platform: Platform, userId: string, code: string): Promise<Proof | undefined> {
  const { meta, now } = platform
  const factor = await totpStore.totpOf(meta, userId, 1).executeTakeFirst()
  if (!factor || !canOpen(platform.secretBox, SEALED_FOR, factor.sealed)) return undefined
  const step = matchingStep(secretOf(platform, factor.sealed), code, now())
  if (step === undefined || step <= factor.last_step) return undefined
  return totpStore.spendTotp(meta, factor.id, { step, use: newId(), now: now() })
}

async function backupCodeProof(platform: Platform, userId: string, code: string): Promise<Proof | undefined> {
  const { meta } = platform
  const row = await backupCodeStore.unusedBackupCode(meta, userId, backupCodeHash(platform, userId, code))
  return row && backupCodeStore.spendBackupCode(meta, row.id, newId())
}

/** The oldest shows it: whatever is newer was sealed under the same key or a later one. */
export async function hasClosedAuthenticators({
  meta,
  secretBox,
}: Pick<Platform, 'meta' | 'secretBox'>): Promise<boolean> {
  const oldest = await totpStore.oldestTotp(meta)
  return oldest !== undefined && !canOpen(secretBox, SEALED_FOR, oldest.sealed)
}

export function secretOf({ secretBox }: Platform, sealed: string): Buffer {
  return Buffer.from(secretBox.open(SEALED_FOR, sealed), 'base64')
}
