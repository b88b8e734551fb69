import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { TotpFactorTable } from '../../../database/schema/people/second-factor.ts'
import type { Platform } from '../../../platform/platform.ts'
import { canOpen, openIfOurs } from '../../../platform/secrets/secret-box.ts'
import { newId } from '../../../rules/ids.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { randomCode } from '../../../rules/tokens.ts'
import { type Guesser, withinGuesses } from '../../ground/limits/guesses.ts'
import type { Proof } from '../sessions/pending.ts'
import * as store from './store.ts'

export const SEALED_FOR = 'totp'

export type FactorCodeKind = 'totp' | 'backup_code'

/** An app shows digits; a backup code has none. */
export function kindOfCode(code: string): FactorCodeKind {
  return /^\d{6}$/.test(code) ? 'totp' : 'backup_code'
}

/** What the codes of a confirmed app are compared with. */
type App = Pick<TotpFactorTable, 'id' | 'sealed' | 'last_step'>

/** The proof of a correct code, within the limits for guesses. Undefined if the code is wrong. */
export function findCodeProof(
  platform: Platform,
  userId: string,
  { kind, code }: { readonly kind: FactorCodeKind; readonly code: string },
  guesser: Guesser,
  app: App | undefined,
): Promise<Proof | undefined> {
  return withinGuesses(platform, guesser, async () =>
    kind === 'totp' ? totpProof(platform, app, code) : backupCodeProof(platform, userId, code),
  )
}

export function wrongFactorCode(kind: FactorCodeKind): Refusal {
  return kind === 'totp'
    ? new Refusal('INVALID_CODE', 'This code is wrong or was used before. Check the clock of your device.')
    : new Refusal('INVALID_BACKUP_CODE', 'This backup code is wrong or was used before.')
}

/** Undefined if the code is wrong, if its step was already used, or if the secret was sealed under another key. */
function totpProof(platform: Platform, app: App | undefined, code: string): Proof | undefined {
  const { meta, now } = platform
  const secret = app && openIfOurs(platform.secretBox, SEALED_FOR, app.sealed)
  if (!app || secret === undefined) return undefined
  const step = matchingStep(Buffer.from(secret, 'base64'), code, now())
  if (step === undefined || step <= app.last_step) return undefined
  return store.spendTotp(meta, app.id, step, now())
}

async function backupCodeProof(platform: Platform, userId: string, code: string): Promise<Proof | undefined> {
  const hash = backupCodeHash(platform, userId, code)
  const unused = await store.unusedBackupCodes(platform.meta, userId).execute()
  const row = unused.find(({ code_hash }) => code_hash === hash)
  return row && store.spendBackupCode(platform.meta, row.id, newId())
}

/** The oldest secret shows it: newer ones were sealed under the same key or a later one. */
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

const STEP_SECONDS = 30
const DIGITS = 6
/** One step either way; a phone's clock is seldom further off. */
const TOLERANCE_STEPS = 1

/** RFC 4226. */
export function hotp(secret: Buffer, counter: number, digits = DIGITS): string {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(counter))
  const digest = createHmac('sha1', createSecretKey(secret)).update(message).digest()
  const offset = digest.readUInt8(digest.length - 1) & 0x0f
  const number = digest.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** RFC 6238: the step that this code belongs to, among those that are valid now. */
export function matchingStep(secret: Buffer, code: string, now: number): number | undefined {
  const current = Math.floor(now / 1000 / STEP_SECONDS)
  const given = Buffer.from(code.padStart(DIGITS))
  for (let step = current - TOLERANCE_STEPS; step <= current + TOLERANCE_STEPS; step++) {
    const right = Buffer.from(hotp(secret, Math.max(0, step)))
    if (given.length === right.length && timingSafeEqual(given, right)) return step
  }
  return undefined
}

/** The content of the QR code for an authenticator app. */
export function totpUri(secret: Buffer, issuer: string, account: string): string {
  const label = [issuer, account].map((name) => encodeURIComponent(name.toWellFormed())).join(':')
  const parameters = { secret: base32(secret), issuer, algorithm: 'SHA1', digits: '6', period: '30' }
  // Apps take a plus sign for itself, so a space is %20.
  const query = new URLSearchParams(parameters).toString().replaceAll('+', '%20')
  return `otpauth://totp/${label}?${query}`
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}
