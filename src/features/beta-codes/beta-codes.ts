import { randomInt } from 'node:crypto'
import type { Meta } from '../../platform/store.ts'
import * as store from './store.ts'

/** For the batch that makes the administrator. */
export function insertBetaCodeUsedBy(meta: Meta, userId: string, now: number) {
  return store.insertUsed(meta, newBetaCode(), userId, now)
}

const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'

/** `XXXX-XXXX-XXXX`, without look-alikes. */
export function newBetaCode(): string {
  const group = () => Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return [group(), group(), group()].join('-')
}
