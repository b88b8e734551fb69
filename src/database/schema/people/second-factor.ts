import type { Flag } from '../flag.ts'

/** At most two for each user: the confirmed one, and one still waiting for its first correct code. */
export interface TotpFactorTable {
  id: string
  user_id: string
  /** The shared secret, sealed. */
  sealed: string
  is_confirmed: Flag
  /** The newest step whose code was used: a code is accepted once. */
  last_step: number
  /** Names the use of the newest code. */
  last_use: string
  created_at: number
  last_used_at: number | null
}

export interface BackupCodeTable {
  id: string
  user_id: string
  /** A keyed digest. */
  code_hash: string
  /** 0 until the factor that it belongs to is confirmed. */
  is_active: Flag
  /** Names the use that spent it; '' before. */
  last_use: string
}

export interface PasskeyTable {
  id: string
  user_id: string
  credential_id: string
  public_key: string
  counter: number
  /** `singleDevice`, `multiDevice`: whether it can be copied to other devices of its owner. */
  device_type: string
  is_backed_up: Flag
  /** 1 if the authenticator has verified its user, so that the passkey needs no other credential. */
  is_user_verified: Flag
  /** Separated by commas. */
  transports: string
  aaguid: string
  /** The host name under which it was made, and works; '' if that is not known. */
  rp_id: string
  name: string
  /** Names the batch that used it last. */
  last_use: string
  created_at: number
  last_used_at: number | null
}

/** Never used yet. */
export type NewPasskey = Omit<PasskeyTable, 'last_used_at'>
