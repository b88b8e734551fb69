import { hash, randomBytes, randomInt } from 'node:crypto'

/** The prefix names the kind, so that a leaked token is recognised and never used as another kind. */
export const PREFIX = {
  session: 'ghs_',
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

export function newToken(kind: TokenKind): string {
  return PREFIX[kind] + randomBytes(32).toString('base64url')
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
