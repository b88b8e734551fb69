import type { AccountTable } from '../../../database/schema/people/account.ts'

/** A user who had an account elsewhere. */
export interface Incoming {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly createdAt: number
  readonly isSuspended: boolean
  readonly accounts: readonly IncomingAccount[]
}

export type IncomingAccount = Pick<AccountTable, 'provider' | 'issuer' | 'provider_account_id' | 'password_hash'>
