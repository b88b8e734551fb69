export type OrganizationStatus = 'active' | 'suspended' | 'ownerless'

export interface OrganizationTable {
  id: string
  slug: string
  name: string
  /** Folded: no case, no accents; used by the search. */
  folded_name: string
  logo: string | null
  /** JSON objects: what the product shows, what it keeps to itself, and what members keep, which is not to be trusted. */
  public: string
  private: string
  own: string
  /** Grows with each change of these three. */
  version: number
  /** New with every change of the organisation's own roles, whose permissions are remembered by it. */
  roles_token: string
  /** The administrator's figure; null for that of the settings. */
  seats: number | null
  /** How many members it has, and how many owners that are not suspended. */
  members: number
  owners: number
  /** Follows from `suspended_at` and `owners`. */
  status: OrganizationStatus
  suspended_at: number | null
  /** Shown to the administrator only. */
  suspension_reason: string | null
  created_at: number
  updated_at: number
}

/** The text that an organisation is found by, kept by triggers. */
export interface OrganizationSearchTable {
  organization_id: string
  text: string
}

/** Every slug that was ever taken, with the organisation that had it last. */
export interface OrganizationSlugTable {
  slug: string
  organization_id: string
}

/** An organisation or a team that has been deleted, and whose rows are still to be deleted. */
export interface OrganizationRemainsTable {
  id: string
  kind: 'organization' | 'team'
  created_at: number
}

export interface MemberTable {
  id: string
  organization_id: string
  user_id: string
  /** One to five, separated by commas. */
  roles: string
  created_at: number
  /** When the user last made the organisation active; 0 for never. */
  last_active_at: number
}

/** Each role of a member is a row, so that those who hold one are found, oldest member first. */
export interface MemberRoleTable {
  organization_id: string
  role: string
  /** When the member joined. */
  joined_at: number
  member_id: string
  user_id: string
}

/** A role of one organisation's own. */
export interface OrganizationRoleTable {
  id: string
  organization_id: string
  role: string
  /** JSON: actions by resource. */
  permissions: string
  created_at: number
  updated_at: number
}

export interface TeamTable {
  id: string
  organization_id: string
  name: string
  created_at: number
  updated_at: number
}

export interface TeamMemberTable {
  id: string
  team_id: string
  user_id: string
  organization_id: string
  created_at: number
}

export interface OrganizationInvitationTable {
  id: string
  organization_id: string
  email: string
  /** Separated by commas, as are the teams. */
  roles: string
  team_ids: string
  inviter_id: string
  status: 'pending' | 'accepted' | 'rejected' | 'canceled'
  created_at: number
  expires_at: number
  /** When it was accepted, rejected or canceled. */
  ended_at: number | null
}

/** The secret of each letter's link. Earlier letters stay good when another is sent. */
export interface OrganizationInvitationLinkTable {
  link_hash: string
  invitation_id: string
}
