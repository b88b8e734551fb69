import { randomInt } from 'node:crypto'
import { Refusal } from '../../http/refusal.ts'
import type { SignedInCall } from '../../http/route.ts'
import * as store from './request-store.ts'

// RFC 8628 section 6.1: no vowels, so no words; no digits, so nothing that looks like one of these.
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

export function newUserCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/** Counted before it is looked up, so that guesses at once are counted too. */
export async function findPendingByUserCode(call: SignedInCall, typed: string) {
  const { platform, caller, client } = call
  await countTry(call, `user-code:tries:user:${caller.user.id}`, 20)
  await countTry(call, `user-code:tries:address:${client.address}`, 100)
  const code = typed.toUpperCase().replace(/[^A-Z]/g, '')
  return store.pendingByUserCode(platform.meta, code, platform.now())
}

const TRIES_WINDOW_SECONDS = 600

async function countTry({ platform }: SignedInCall, key: string, limit: number): Promise<void> {
  const tries = await platform.keyValue.increment(key, TRIES_WINDOW_SECONDS)
  if (tries > limit) {
    throw new Refusal('RATE_LIMITED', 'Too many codes were tried; wait a few minutes.', {
      retryAfterSeconds: TRIES_WINDOW_SECONDS,
    })
  }
}
