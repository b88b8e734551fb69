import type { Flag } from './flag.ts'

export type Provider = 'credential' | 'provider_a' | 'provider_b' | 'community'

export interface AccountTable {
  id: string
  user_id: string
  provider: Provider
  /** Who issued the id; '' for `credential`, and until a preparation knows what is configured. */
  issuer: string
  /** The user's id for `credential`, else the id at the provider. */
  provider_account_id: string
  password_hash: string | null
  /** 1 while the password is the one printed at preparation. */
  password_is_initial: Flag
  created_at: number
  updated_at: number
}

export type CodePurpose = 'email-verification' | 'password-reset' | 'invitation'

/** One living code per purpose and address; a new one replaces the old. */
export interface VerificationTable {
  id: string
  purpose: CodePurpose
  email: string
  code_hash: string
  /** Of the secret in the mailed link, which opens what the code opens. */
  link_hash: string
  /** 1 only inside the batch of the right guess, which deletes the row. */
  is_spent: Flag
  created_at: number
  expires_at: number
}

/** Wrong codes for one address on one day, by whose they are. */
export interface CodeGuessesTable {
  email: string
  /** Day number since the epoch. */
  day: number
  /** A network, or a browser of the account's own. */
  guesser: string
  failures: number
  /** The last code that was guessed at, and how often. */
  code_id: string
  failures_on_code: number
}

export interface ProviderFlowTable {
  state_hash: string
  browser_hash: string
  provider: Exclude<Provider, 'credential'>
  /** Verifier, nonce and return addresses, sealed. */
  sealed: string
  link_user_id: string | null
  expires_at: number
}
