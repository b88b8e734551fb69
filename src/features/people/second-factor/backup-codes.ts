import { v7 as newId } from 'uuid'
import type { Platform } from '../../../platform/platform.ts'
import { randomCode } from '../../../rules/tokens.ts'

const COUNT = 10
const LENGTH = 10
/** Leaves out vowels, so that no word appears, and look-alikes. */
const LETTERS = 'bcdfghjkmnpqrstvwxz'

/** Ten codes of ten letters, to be shown once; the store keeps their digests. */
export function newBackupCodes({ signer }: Platform, userId: string) {
  const codes = Array.from({ length: COUNT }, () => randomCode(LETTERS, LENGTH))
  const rows = codes.map((code) => ({
    id: newId(),
    user_id: userId,
    code_hash: backupCodeHash({ signer }, userId, code),
    last_use: '',
  }))
  return { codes: codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`), rows }
}

/** Case, spaces and dashes in what was typed do not matter. */
export function backupCodeHash({ signer }: Pick<Platform, 'signer'>, userId: string, typed: string): string {
  const code = typed.toLowerCase().replace(/[\s-]/g, '')
  return signer.digest('backup-code', `${userId}:${code}`)
}
