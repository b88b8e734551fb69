import type { Factors, Role } from '../../../rules/caller.ts'
import type { Flag } from '../flag.ts'

export interface UserTable {
  id: string
  name: string
  /** Folded: no case, no accents; used by the search. */
  folded_name: string
  /** The handle that the provider used at sign-up, in one word. */
  handle: string | null
  email: string
  email_verified: Flag
  /** When a code or a provider first proved that the address belongs to the user. */
  email_proven_at: number | null
  image: string | null
  aff_code: string
  registration_utm_source: string | null
  role: Role
  /** The scopes that a staff member holds, separated by spaces; null for everybody else. */
  staff_scopes: string | null
  staff_since: number | null
  /** Which kinds of second factor the user has; see `features/people/second-factor`. */
  factors: Factors
  suspended_at: number | null
  /** Shown to the administrator only. */
  suspension_reason: string | null
  created_at: number
  updated_at: number
  /** When a session was last opened; 0 for never. */
  last_sign_in_at: number
  /** The last known use of an account that never proved its address, to the day. Outlives its sessions. */
  noted_use_at: number | null
  /** The language in which the user last used the service; null if that is not known. */
  language: string | null
}

/** The rest is filled in where the row is written. */
export type UserRow = Omit<UserTable, 'folded_name' | 'last_sign_in_at' | 'noted_use_at' | 'language' | 'staff_since'>

/** Everything the search finds a user by, in one line. Triggers write it (`migrations/meta/0004-user-search.ts`). */
export interface UserSearchTable {
  user_id: string
  text: string
}
