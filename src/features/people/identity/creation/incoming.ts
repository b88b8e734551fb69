import type { Provider } from '../../../../database/schema/people/identity.ts'

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

export interface IncomingAccount {
  readonly provider: Provider
  readonly issuer: string
  readonly providerAccountId: string
  readonly passwordHash: string | null
}
