import { v7 as newId } from 'uuid'
import type { AccountTable } from '../../../database/schema/people/account.ts'
import type { UserRow } from '../../../database/schema/people/users.ts'
import type { Call } from '../../../http/route.ts'

/** A user and the one account, as their columns are called. */
export interface NewUser
  extends Pick<
      UserRow,
      'id' | 'email' | 'name' | 'handle' | 'email_verified' | 'image' | 'role' | 'registration_utm_source'
    >,
    Omit<AccountTable, 'id' | 'user_id' | 'created_at' | 'updated_at'> {
  readonly continent: string | undefined
}

/** The defaults are for a user who has no credential yet and did not sign up. */
export function newUser({ id = newId(), ...given }: Partial<NewUser> & Pick<NewUser, 'email' | 'name'>): NewUser {
  return {
    id,
    email_verified: 0,
    handle: null,
    image: null,
    role: 'user',
    provider: 'credential',
    issuer: '',
    provider_account_id: id,
    password_hash: null,
    password_is_initial: 0,
    registration_utm_source: null,
    continent: undefined,
    ...given,
  }
}

// The most that a browser keeps in one cookie.
const LONGEST_SOURCE = 4_096

/**
 * The campaign a user comes from, as it was sent. Read from the cookie only: a parameter or body field says nothing
 * about it. Values that no browser could have stored, or that PostgreSQL cannot store, are ignored.
 */
export function originOf({ exchange, sender }: Call) {
  const source = exchange.cookie('registration_utm_source') ?? null
  const isKept = source !== null && source.length <= LONGEST_SOURCE && !source.includes('\0')
  return { registration_utm_source: isKept ? source : null, continent: sender.continent }
}
