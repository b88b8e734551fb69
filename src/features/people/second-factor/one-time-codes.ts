import type { Expression } from 'kysely'
import { v7 as newId } from 'uuid'
import type { Rows } from '../../../database/decision.ts'
import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { canOpen } from '../../../platform/secrets/secret-box.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { randomCode } from '../../../rules/tokens.ts'
import { type Guesser, withinGuesses } from '../../ground/limits/guesses.ts'
import type { Proof } from '../sessions/opening.ts'
import * as store from './store.ts'
import { matchingStep } from './totp.ts'

export const SEALED_FOR = 'totp'

export type CodeKind = 'totp' | 'backup_code'

/** For a snapshot: what a user's codes are compared with. */
export function codesOf(meta: Meta, userId: string | Expression<string>) {
  return [store.totpOf(meta, userId, 1), store.unusedBackupCodes(meta, userId)] as const
}

type Codes = Rows<ReturnType<typeof codesOf>>

/** The proof of a correct code, within the limits for guesses. Undefined if the code is wrong. */
export function findCodeProof(
  platform: Platform,
  userId: string,
  { kind, code }: { readonly kind: CodeKind; readonly code: string },
  guesser: Guesser,
  [[app], backupCodes]: Codes,
): Promise<Proof | undefined> {
  return withinGuesses(platform, guesser, async () =>
    kind === 'totp' ? totpProof(platform, app, code) : backupCodeProof(platform, userId, backupCodes, code),
  )
}

export function wrongCode(kind: CodeKind): Refusal {
  return kind === 'totp'
    ? new Refusal('INVALID_CODE', 'This code is wrong or was used before. Check the clock of your device.')
    : new Refusal('INVALID_BACKUP_CODE', 'This backup code is wrong or was used before.')
}

/** Undefined if the code is wrong, if its step was already used, or if the secret was sealed under another key. */
function totpProof(platform: Platform, app: Codes[0][number] | undefined, code: string): Proof | undefined {
  const { meta, now } = platform
  if (!app || !canOpen(platform.secretBox, SEALED_FOR, app.sealed)) return undefined
  const step = matchingStep(secretOf(platform, app.sealed), code, now())
  if (step === undefined || step <= app.last_step) return undefined
  return store.spendTotp(meta, app.id, { step, use: newId(), now: now() })
}

function backupCodeProof(platform: Platform, userId: string, unused: Codes[1], code: string): Proof | undefined {
  const hash = backupCodeHash(platform, userId, code)
  const row = unused.find(({ code_hash }) => code_hash === hash)
  return row && store.spendBackupCode(platform.meta, row.id, newId())
}

/** The oldest shows it: whatever is newer was sealed under the same key or a later one. */
export async function hasClosedAuthenticators({
  meta,
  secretBox,
}: Pick<Platform, 'meta' | 'secretBox'>): Promise<boolean> {
  const oldest = await store.oldestTotp(meta)
  return oldest !== undefined && !canOpen(secretBox, SEALED_FOR, oldest.sealed)
}

export function secretOf({ secretBox }: Platform, sealed: string): Buffer {
  return Buffer.from(secretBox.open(SEALED_FOR, sealed), 'base64')
}

const BACKUP_CODES = 10
const BACKUP_CODE_LENGTH = 10
/** Leaves out vowels, so that no word appears, and look-alikes. */
const LETTERS = 'bcdfghjkmnpqrstvwxz'

/** Ten codes of ten letters, to be shown once; the store keeps their digests. */
export function newBackupCodes({ signer }: Platform, userId: string) {
  const codes = Array.from({ length: BACKUP_CODES }, () => randomCode(LETTERS, BACKUP_CODE_LENGTH))
  const rows = codes.map((code) => ({
    id: newId(),
    user_id: userId,
    code_hash: backupCodeHash({ signer }, userId, code),
    last_use: '',
  }))
  return { codes: codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`), rows }
}

/** Case, spaces and dashes in what was typed do not matter. */
function backupCodeHash({ signer }: Pick<Platform, 'signer'>, userId: string, typed: string): string {
  const code = typed.toLowerCase().replace(/[\s-]/g, '')
  return signer.digest('backup-code', `${userId}:${code}`)
}
