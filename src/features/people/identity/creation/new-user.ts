import { v7 as newId } from 'uuid'
import type { Provider } from '../../../../database/schema/people/identity.ts'
import type { Call } from '../../../../http/route.ts'
import type { Role } from '../../../../rules/caller.ts'
import { registrationSourceOf } from './registration-source.ts'

export interface NewUser {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly emailVerified: boolean
  readonly image: string | null
  readonly role: Role
  readonly provider: Provider
  /** Empty for `credential`. */
  readonly issuer: string
  /** Undefined for `credential`: the account is known by the user's own id. */
  readonly providerAccountId: string | undefined
  readonly passwordHash: string | null
  readonly passwordIsInitial: boolean
  readonly registrationUtmSource: string | null
  readonly continent: string | undefined
}

/** The defaults are for a user who has no credential yet and did not sign up. */
export function newUser(given: Partial<NewUser> & Pick<NewUser, 'email' | 'name'>): NewUser {
  return {
    id: newId(),
    emailVerified: false,
    image: null,
    role: 'user',
    provider: 'credential',
    issuer: '',
    providerAccountId: undefined,
    passwordHash: null,
    passwordIsInitial: false,
    registrationUtmSource: null,
    continent: undefined,
    ...given,
  }
}

/** Where a user who signs up comes from. */
export function originOf({ exchange, sender }: Call) {
  return { registrationUtmSource: registrationSourceOf(exchange), continent: sender.continent }
}
