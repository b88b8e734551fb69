import type { Flag } from '../flag.ts'

export type Provider = 'credential' | 'provider_a' | 'provider_b' | 'community'

export interface AccountTable {
  id: string
  user_id: string
  provider: Provider
  /** The issuer of the id; '' for `credential`, and until a preparation has filled it in. */
  issuer: string
  /** The user's id for `credential`, else the id at the provider. */
  provider_account_id: string
  password_hash: string | null
  /** 1 while the password is the one that preparation printed. */
  password_is_initial: Flag
  created_at: number
  updated_at: number
}

export type CodePurpose = 'email-verification' | 'password-reset' | 'invitation'

/** One valid code per purpose and address; a new one replaces the old. */
export interface VerificationTable {
  id: string
  purpose: CodePurpose
  email: string
  code_hash: string
  /** Digest of the secret in the mailed link, which is worth as much as the code. */
  link_hash: string
  /** 1 only inside the batch of the correct guess, which deletes the row. */
  is_spent: Flag
  created_at: number
  expires_at: number
}

/** Wrong codes for one address on one day, by who sent them. */
export interface CodeGuessesTable {
  email: string
  /** Day number since the epoch. */
  day: number
  /** A network, or a browser that has signed in to the account. */
  guesser: string
  failures: number
  /** The last code that was guessed at, and how many times. */
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
