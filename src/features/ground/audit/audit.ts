import type { Platform } from '../../../platform/platform.ts'
import { maskedAddress } from '../../../rules/email.ts'
import * as store from './store.ts'

/**
 * Stores the address that somebody tried to sign in with, masked, and its hash for a search. It is written together
 * with the entry of this id.
 */
export function refusedAddress({ meta, signer }: Pick<Platform, 'meta' | 'signer'>, id: string, email: string) {
  const row = { event_id: id, address_hash: refusedHash(signer, email), masked: maskedAddress(email) }
  return store.insertRefusedAddress(meta, row)
}

/** Part of deleting the user of this address. */
export function forgetRefusedAddress({ meta, signer }: Pick<Platform, 'meta' | 'signer'>, email: string) {
  return store.deleteRefusedAddress(meta, refusedHash(signer, email))
}

export function refusedHash(signer: Platform['signer'], email: string): string {
  return signer.digest('refused-address', email)
}
