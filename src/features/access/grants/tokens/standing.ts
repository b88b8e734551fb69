import { oauthRefusal } from '../../../../rules/refusal.ts'
import type { ActingIn } from '../identity-claims.ts'

interface Membership extends Omit<ActingIn, 'roles'> {
  /** Separated by commas. */
  readonly roles: string
  readonly suspended_at: number | null
}

/** Uses nothing up: a grant in a suspended organisation is good again once that is restored. */
export function standing(membership: Membership | undefined): ActingIn {
  if (!membership) throw oauthRefusal('invalid_grant', 'The user has left the organisation.')
  const { id, slug, name, roles, suspended_at } = membership
  if (suspended_at !== null) throw oauthRefusal('interaction_required', 'The organisation is suspended.')
  return { id, slug, name, roles: roles.split(',') }
}
