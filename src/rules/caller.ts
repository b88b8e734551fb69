import type { GrantedScope } from './scopes.ts'

export type Role = 'user' | 'administrator'

/** The kinds of second factor that a user has. */
export type Factors = '' | 'totp' | 'passkey' | 'totp passkey'

/** The user or client that the request's credential belongs to. */
export interface Caller {
  readonly user: CallerUser
  readonly credential: SessionCredential | GrantCredential
  readonly shardId: string | undefined
  /** The settings require a verified address, and this user's is not. */
  readonly lacksVerification: boolean
  /** The settings require a second factor of this user, who has none. */
  readonly lacksFactor: boolean
  /** The gate is on, and this caller has no used beta code. Never true for the administrator. */
  readonly isGated: boolean
  readonly settingsRevision: string
  /** The organisation that is active, whose member the user is at this moment. */
  readonly organization: CallerOrganization | undefined
  /** The administrator, while acting as the user. */
  readonly actor: ActingAdministrator | undefined
}

export interface ActingAdministrator {
  readonly id: string
  readonly name: string
  /** The session from which the administrator began, and with which it ends. */
  readonly sessionId: string
  /** The acting session. */
  readonly impersonationId: string
  readonly isReadOnly: boolean
}

export interface CallerOrganization {
  readonly id: string
  readonly slug: string
  readonly name: string
  /** The roles that the member has, some of which may give nothing. */
  readonly roles: readonly string[]
  /** What the organisation's own roles allow is remembered by it. */
  readonly rolesToken: string
  readonly memberId: string
  /** The active team, if any. */
  readonly teamId: string | null
}

/** True if the caller can do nothing but what the settings require first. */
export function isRestricted({ lacksVerification, lacksFactor, isGated }: Caller): boolean {
  return lacksVerification || lacksFactor || isGated
}

/** The row as it is stored. */
export interface CallerUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly email_verified: 0 | 1
  readonly handle: string | null
  readonly image: string | null
  readonly aff_code: string
  readonly registration_utm_source: string | null
  readonly role: Role
  readonly staff_scopes: string | null
  readonly factors: Factors
  /** The language that the user used last. */
  readonly language: string | null
  readonly created_at: number
  readonly updated_at: number
}

export interface SessionCredential {
  readonly kind: 'session'
  readonly id: string
  readonly createdAt: number
  readonly refreshedAt: number
  readonly expiresAt: number
  /** The end of the signed token that stands for it; undefined for the session's own. */
  readonly tokenExpiresAt?: number
  readonly lastUsedAt: number
  /** When its user last showed a credential: at the sign-in, or at a later confirmation. */
  readonly provenAt: number
  readonly address: string | null
  readonly userAgent: string | null
}

/** RFC 8693 section 4.1: which service acts for the user, and which acted before it. */
export interface Actor {
  readonly sub: string
  readonly act?: Actor
}

export type GrantKind = 'tool' | 'application' | 'service' | 'personal'

/** The calls of a grant that wait for its user's approval. */
export type NeededApproval = 'none' | 'writes' | 'everything'

export interface GrantCredential {
  readonly kind: 'grant'
  readonly id: string
  /** The access token's; undefined if the grant was found by its id. */
  readonly tokenHash: string | undefined
  /**
   * The kind of program that uses it: the command-line client, a user's application, a service, or a user's
   * script.
   */
  readonly grantKind: GrantKind
  readonly clientId: string
  readonly clientName: string
  /** Calls per day; null for no limit. */
  readonly dailyLimit: number | null
  readonly approval: NeededApproval
  /** What it opens now. */
  readonly scopes: readonly GrantedScope[]
  /** Granted, but not held by the user any more. */
  readonly withheld: readonly GrantedScope[]
  /** The only place where the token is good; null for this service. */
  readonly resource: string | null
  readonly createdAt: number
  /** The service that got the token in exchange for another; null for a token that the user gave. */
  readonly act: Actor | null
  /** When the grant ends. The access token's own end would show when its owner refreshes. */
  readonly expiresAt: number
  readonly tokenIssuedAt: number
  /** Tells a back end how long to cache the token's permissions. */
  readonly tokenExpiresAt: number
  /** The browser session in which the user signed in to an application. */
  readonly sessionId: string | null
}

export interface GrantCaller extends Caller {
  readonly credential: GrantCredential
}

/** The service that acts through a connection of another program. */
export function actorIdOf({ act }: GrantCredential): string | null {
  return act?.sub ?? null
}

/** When what was sent ends. Of a session that is its own end, unless a signed token stands for it. */
export function tokenEndOf(credential: Caller['credential']): number {
  return credential.tokenExpiresAt ?? credential.expiresAt
}

/** RFC 8693 section 4.1: the service that passed the token on acts last, with the administrator nested in it. */
export function actorClaims(actor: Caller['actor'], passedOn: Actor | null = null) {
  const administrator = actor && { sub: actor.id }
  const act = passedOn ? chained(passedOn, administrator) : administrator
  return { ...(act && { act }), ...(actor?.isReadOnly && { read_only: true as const }) }
}

function chained({ sub, act }: Actor, first: Actor | undefined): Actor {
  const earlier = act ? chained(act, first) : first
  return earlier ? { sub, act: earlier } : { sub }
}

/** Limits the caller to these scopes. */
export function narrowedTo(credential: GrantCredential, scopes: string): GrantCredential {
  const kept = new Set(scopes.split(' '))
  return { ...credential, scopes: credential.scopes.filter((scope) => kept.has(scope)) }
}
