import { isObject } from './read-answer.ts'

/** The sender of a request, according to Gatehouse. */
export interface Caller {
  readonly userId: string
  readonly email: string
  readonly emailVerified: boolean
  readonly name: string
  /** The role of this credential, which for a grant is often less than its user's. */
  readonly role: 'user' | 'administrator'
  /** The user's own session, or a grant that the user gave to a tool. */
  readonly kind: 'session' | 'grant'
  /** A grant's scopes; empty for a session, which scopes do not limit. */
  readonly scopes: readonly string[]
  /** The id of the session or grant. */
  readonly id: string
  /**
   * The calls a grant's user wants to approve first. Gatehouse holds up calls to itself; the product decides about its
   * own. A session has `none`.
   */
  readonly approval: Approval
  /** The organisation in which the caller acts, whose member the user is. */
  readonly organization: Organization | undefined
  /** The administrator who acts as the user. Refuse what changes something while `readOnly`. */
  readonly actor: ActingAdministrator | undefined
  /** Gatehouse cannot be asked now: this is who it was at the last contact. Absent otherwise. */
  readonly outage?: true
}

export interface ActingAdministrator {
  readonly userId: string
  readonly readOnly: boolean
}

/** Undefined while nobody acts as the user; `malformed` for claims that no Gatehouse makes. */
export function actorIn({ act, read_only }: Readonly<Record<string, unknown>>) {
  if (act === undefined) return undefined
  if (!isObject(act) || typeof act.sub !== 'string') return 'malformed'
  return { userId: act.sub, readOnly: read_only === true }
}

/** Where the caller acts: the active organisation of a session, or the one of a grant. */
export interface Organization {
  readonly id: string
  readonly slug: string
  readonly roles: readonly string[]
  /** What these roles allow, as `resource:action`. */
  readonly permissions: readonly string[]
}

/** Undefined without an organisation, as with an older Gatehouse; `malformed` for claims that no Gatehouse makes. */
export function organizationIn({
  org_id: id,
  org_slug: slug,
  org_roles: roles,
  org_permissions: permissions,
}: Readonly<Record<string, unknown>>): Organization | undefined | 'malformed' {
  if (id === undefined) return undefined
  if (typeof id !== 'string' || typeof slug !== 'string') return 'malformed'
  if (!isListOfTexts(roles) || !isListOfTexts(permissions)) return 'malformed'
  return { id, slug, roles, permissions }
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

export type Approval = (typeof APPROVALS)[number]

const APPROVALS = ['none', 'writes', 'everything'] as const

/** An older Gatehouse sends none. Undefined for a value that no Gatehouse sends. */
export function approvalIn(value: unknown): Approval | undefined {
  if (value === undefined || value === null) return 'none'
  return APPROVALS.find((approval) => approval === value)
}
