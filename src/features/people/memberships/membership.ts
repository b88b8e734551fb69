import { Refusal } from '../../../rules/refusal.ts'

/** The one answer about an organisation that does not exist and about somebody else's. */
export function notAMember(): Refusal {
  return new Refusal('USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION', 'You are not a member of this organisation.')
}

export function suspendedOrganization(): Refusal {
  return new Refusal('ORGANIZATION_SUSPENDED', 'This organisation is suspended.')
}

/** Refuses an organisation in which the user cannot act; null is none. */
export function refuseOutside(
  organizationId: string | null,
  membership: { readonly suspended_at: number | null } | undefined,
): void {
  if (organizationId === null) return
  if (!membership) throw notAMember()
  if (membership.suspended_at !== null) throw suspendedOrganization()
}
