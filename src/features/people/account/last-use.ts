import type { UserTable } from '../../../database/schema/people/users.ts'
import { isSynthetic } from '../../../rules/email.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'

/** A use of a session or of a grant. */
interface Use {
  readonly used_at: number | null
  readonly refreshed_at?: number
}

/** False for the administrator, and for synthetic addresses, which receive no mail and so cannot be proven. */
export function isUnproven({ role, email, email_verified, email_proven_at }: UserTable): boolean {
  return role !== 'administrator' && email_verified === 0 && email_proven_at === null && !isSynthetic(email)
}

/**
 * A suspended account counts as used: its owner cannot use it, and could sign up anew if it were deleted. Its days
 * begin when the suspension ends.
 */
export function lastUse(user: UserTable, uses: readonly Use[], now: number): number {
  if (user.suspended_at !== null) return now
  const { created_at, last_sign_in_at, noted_use_at } = user
  const known = uses.flatMap(({ used_at, refreshed_at }) => [used_at ?? 0, refreshed_at ?? 0])
  return Math.max(created_at, last_sign_in_at, noted_use_at ?? 0, ...known)
}

/** False if the user's row already has this use, to within hours. */
export function isWorthNoting({ last_sign_in_at, noted_use_at }: UserTable, usedAt: number): boolean {
  return usedAt - Math.max(last_sign_in_at, noted_use_at ?? 0) >= DAY_MILLISECONDS / 4
}
