import { hash, randomFillSync, randomInt } from 'node:crypto'

/** The prefix names the kind, so that a leaked token is recognised and never used as another kind. */
export const PREFIX = {
  session: 'ghs_',
  acting: 'ghi_',
  access: 'gha_',
  refresh: 'ghr_',
  code: 'ghc_',
  device: 'ghd_',
  link: 'ghl_',
  'second step': 'gh2_',
  'trusted device': 'ght_',
  personal: 'ghp_',
  application: 'gas_',
} as const

type TokenKind = keyof typeof PREFIX

const TOKEN_BYTES = 32
/** Drawn for many tokens at once: most of a draw's cost does not depend on its length. */
const drawn = Buffer.alloc(128 * TOKEN_BYTES)
let used = drawn.length

export function newToken(kind: TokenKind): string {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  const bytes = drawn.subarray(used, used + TOKEN_BYTES)
  used += TOKEN_BYTES
  const token = PREFIX[kind] + bytes.toString('base64url')
  // Nothing else in memory leads to the token.
  bytes.fill(0)
  return token
}

export function isOfActing(token: string | undefined): boolean {
  return token?.startsWith(PREFIX.acting) === true
}

/** The stored form of a token. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** Digits and capital letters, without look-alikes. */
export const CLEAR_CHARACTERS = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'

/** Makes a code that people read and type. */
export function randomCode(characters: string, length: number): string {
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('')
}
