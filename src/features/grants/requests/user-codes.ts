import type { SignedInCall } from '../../../http/route.ts'
import { randomCode } from '../../../rules/tokens.ts'
import { countUse } from '../../limits/limits.ts'
import { networkOf } from '../../limits/networks.ts'
import * as store from './store.ts'

// RFC 8628 section 6.1: no vowels, so no words; no digits, so nothing that looks like one of these.
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

export function newUserCode(): string {
  return randomCode(LETTERS, LENGTH)
}

export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/** Counted before it is looked up, so that simultaneous guesses are counted too. */
export async function findPendingByUserCode(call: SignedInCall, typed: string) {
  const { platform, caller, client } = call
  await countUse(platform, 'user-codes-by-user', caller.user.id)
  await countUse(platform, 'user-codes-by-network', networkOf(client.address))
  const code = typed.toUpperCase().replace(/[^A-Z]/g, '')
  return store.pendingByUserCode(platform.meta, code, platform.now())
}
