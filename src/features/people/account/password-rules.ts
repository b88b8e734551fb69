import { readOwnFile } from '../../../config/own-files.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'

const LEAST_CHARACTERS = 8
const MOST_CHARACTERS = 128
const MOST_BYTES = 1024

/** Checks the length in code points, and refuses common and stolen passwords. There are no composition rules. */
export async function refuseWeakPassword(platform: Platform, email: string, password: string): Promise<void> {
  refuseTooLongPassword(password)
  const characters = [...password].length
  if (characters < LEAST_CHARACTERS) {
    throw new Refusal('PASSWORD_TOO_SHORT', 'Use at least 8 characters; 15 or more are better.')
  }
  if (characters > MOST_CHARACTERS) throw tooLong()
  if (await isCommon(platform, email, password)) {
    throw new Refusal('PASSWORD_COMPROMISED', 'This password is too common. Choose another.')
  }
  if (await platform.breaches.isListed(password)) {
    throw new Refusal('PASSWORD_COMPROMISED', 'This password is in a list of stolen ones. Choose another.')
  }
}

/** Runs before any hashing. */
export function refuseTooLongPassword(password: string): void {
  if (Buffer.byteLength(password) > MOST_BYTES) throw tooLong()
}

function tooLong(): Refusal {
  return new Refusal('PASSWORD_TOO_LONG', 'Use at most 128 characters.')
}

async function isCommon(platform: Platform, email: string, password: string): Promise<boolean> {
  const plain = password.toLowerCase()
  const common = await platform.versioned.read('common-passwords', 1, readCommonPasswords)
  return common.has(plain) || plain === email || plain === email.slice(0, email.lastIndexOf('@'))
}

async function readCommonPasswords(): Promise<ReadonlySet<string>> {
  const text = readOwnFile(new URL('./common-passwords.txt', import.meta.url)).toString()
  return new Set(text.split('\n').filter((line) => line !== '' && !line.startsWith('# ')))
}
