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
  /** 1 while the password is the one printed at preparation. */
  password_is_initial: Flag
  created_at: number
  updated_at: number
  /** When a sign-in found the password in the list of stolen ones; older, if a former release has set another since. */
  breached_at: number | null
}

/** What a new account has. */
export type AccountRow = Omit<AccountTable, 'breached_at'>

/** A user's wish for another address. Kept for a week, in which the former address can be brought back. */
export interface EmailChangeTable {
  id: string
  user_id: string
  former_email: string
  email: string
  requested_at: number
  /** Null until the code that was mailed to the new address is shown. */
  changed_at: number | null
}

export type CodePurpose = 'email-verification' | 'password-reset' | 'invitation' | 'email-change'

/** A letter's code and link. Asking for another leaves them valid until they expire. */
export interface MailedCodeTable {
  id: string
  purpose: CodePurpose
  email: string
  /** The network that asked for the letter; '' for the administrator. */
  asker: string
  /** '' in an invitation, which has only a link. */
  code_hash: string
  /** Digest of the secret in the mailed link, which is worth as much as the code. */
  link_hash: string
  created_at: number
  code_expires_at: number
  /** In the last letter of a day, the link outlives the code. */
  link_expires_at: number
}

/** Letters with codes for one address on one day. */
export interface CodeLettersTable {
  email: string
  purpose: CodePurpose
  /** Day number since the epoch. */
  day: number
  letters: number
}

/** Wrong codes for one address on one day, by guesser. */
export interface CodeGuessesTable {
  email: string
  /** Day number since the epoch. */
  day: number
  /** A network, or a browser that has signed in to the account. */
  guesser: string
  failures: number
  /** Written by the previous release; '' since codes are counted together. */
  code_id: string
  /** Wrong guesses at the codes that were outstanding, until the last of those has expired. */
  failures_on_code: number
  counts_until: number
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
