/** Every code of this service's refusals, and its one status. */
export const STATUS = {
  INVALID_REQUEST: 400,
  EMAIL_OTP_SIGN_IN_DISABLED: 400,
  EMAIL_DOMAIN_NOT_ALLOWED: 400,
  EMAIL_PROVIDER_UNAVAILABLE: 400,
  EMAIL_CHANGE_DISABLED: 400,
  INVALID_OTP: 400,
  OTP_EXPIRED: 400,
  PASSWORD_TOO_SHORT: 400,
  PASSWORD_TOO_LONG: 400,
  PASSWORD_COMPROMISED: 400,
  CHALLENGE_REQUIRED: 400,
  INVALID_BETA_CODE: 400,
  MAIL_NOT_SENT: 400,
  STATE_INVALID: 400,
  REDIRECT_URI_MISMATCH: 400,
  FAILED_TO_UNLINK_LAST_ACCOUNT: 400,
  INVALID_CODE: 400,
  INVALID_BACKUP_CODE: 400,
  INVITATION_NOT_FOUND: 400,
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: 400,
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: 400,
  NO_ACTIVE_ORGANIZATION: 400,
  ORGANIZATION_ALREADY_EXISTS: 400,
  ORGANIZATION_SLUG_ALREADY_TAKEN: 400,
  MEMBER_NOT_FOUND: 400,
  ROLE_NOT_FOUND: 400,
  TEAM_NOT_FOUND: 400,
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER: 400,
  YOU_CANNOT_LEAVE_THE_ORGANIZATION_WITHOUT_AN_OWNER: 400,
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS: 400,
  YOU_DO_NOT_HAVE_AN_ACTIVE_TEAM: 400,
  YOU_MUST_BE_IN_AN_ORGANIZATION_TO_CREATE_A_ROLE: 400,
  TOO_MANY_ROLES: 400,
  INVALID_RESOURCE: 400,
  ROLE_NAME_IS_ALREADY_TAKEN: 400,
  CANNOT_DELETE_A_PRE_DEFINED_ROLE: 400,
  ROLE_IS_ASSIGNED_TO_MEMBERS: 400,
  UNAUTHORIZED: 401,
  INVALID_TWO_FACTOR_COOKIE: 401,
  INVALID_PASSKEY: 401,
  INVALID_EMAIL_OR_PASSWORD: 401,
  INVALID_SESSION_TOKEN: 401,
  FORBIDDEN: 403,
  BETA_CODE_REQUIRED: 403,
  REGISTRATION_DISABLED: 403,
  EMAIL_NOT_VERIFIED: 403,
  SESSION_NOT_FRESH: 403,
  ACCOUNT_SUSPENDED: 403,
  SECOND_FACTOR_REQUIRED: 403,
  SECOND_FACTOR_DISABLED: 403,
  INVALID_ORIGIN: 403,
  INSUFFICIENT_SCOPE: 403,
  INSUFFICIENT_PERMISSION: 403,
  TOO_MANY_ATTEMPTS: 403,
  CHALLENGE_FAILED: 403,
  ACCESS_DENIED: 403,
  HOOK_REFUSED: 403,
  IMPERSONATION_REFUSED: 403,
  IMPERSONATION_READ_ONLY: 403,
  USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION: 403,
  USER_IS_NOT_A_MEMBER_OF_THE_TEAM: 403,
  ORGANIZATION_SUSPENDED: 403,
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USERS_TO_THIS_ORGANIZATION: 403,
  YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE: 403,
  YOU_ARE_NOT_ALLOWED_TO_CANCEL_THIS_INVITATION: 403,
  YOU_ARE_NOT_ALLOWED_TO_LIST_INVITATIONS: 403,
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION: 403,
  EMAIL_VERIFICATION_REQUIRED_BEFORE_ACCEPTING_OR_REJECTING_INVITATION: 403,
  EMAIL_VERIFICATION_REQUIRED_FOR_INVITATION: 403,
  INVITATION_LIMIT_REACHED: 403,
  ORGANIZATION_MEMBERSHIP_LIMIT_REACHED: 403,
  YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_ORGANIZATION: 403,
  YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS: 403,
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_ORGANIZATION: 403,
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_ORGANIZATION: 403,
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_MEMBER: 403,
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER: 403,
  YOU_ARE_NOT_ALLOWED_TO_CREATE_A_ROLE: 403,
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_A_ROLE: 403,
  YOU_ARE_NOT_ALLOWED_TO_DELETE_A_ROLE: 403,
  YOU_ARE_NOT_ALLOWED_TO_READ_A_ROLE: 403,
  YOU_ARE_NOT_ALLOWED_TO_LIST_A_ROLE: 403,
  YOU_ARE_NOT_ALLOWED_TO_CREATE_TEAMS_IN_THIS_ORGANIZATION: 403,
  YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_TEAM: 403,
  YOU_ARE_NOT_ALLOWED_TO_DELETE_TEAMS_IN_THIS_ORGANIZATION: 403,
  YOU_ARE_NOT_ALLOWED_TO_DELETE_THIS_TEAM: 403,
  YOU_ARE_NOT_ALLOWED_TO_CREATE_A_NEW_TEAM_MEMBER: 403,
  YOU_ARE_NOT_ALLOWED_TO_REMOVE_A_TEAM_MEMBER: 403,
  NOT_FOUND: 404,
  PASSKEY_NOT_FOUND: 404,
  PROVIDER_DISABLED: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  OTHER_ACCOUNT: 409,
  CONFIG_CONFLICT: 409,
  DATA_CONFLICT: 409,
  ACCOUNT_NOT_LINKED: 409,
  ACCOUNT_LINKED_ELSEWHERE: 409,
  PROVIDER_ALREADY_LINKED: 409,
  BETA_CODE_ALREADY_BOUND: 409,
  LAST_ACTIVE_SHARD: 409,
  LAST_OWNER: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  EXPECTATION_FAILED: 417,
  USER_ALREADY_EXISTS: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  EMAIL_ACTION_RATE_LIMITED: 429,
  RATE_LIMITED: 429,
  QUOTA_EXCEEDED: 429,
  TOO_MANY_LETTERS: 429,
  TOO_MANY_APPROVALS: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  PROVIDER_ERROR: 502,
  PROVIDER_MISCONFIGURED: 502,
  PROVIDER_UNAVAILABLE: 503,
  HOOK_UNAVAILABLE: 503,
  STORE_UNAVAILABLE: 503,
} as const satisfies Record<string, number>

export type Code = keyof typeof STATUS

export interface Issue {
  readonly path: string
  readonly message: string
}

/** The errors of OAuth endpoints: RFC 6749 section 5.2, RFC 8628 section 3.5. */
export type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_client_metadata'
  | 'invalid_redirect_uri'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'interaction_required'
  | 'expired_token'
  | 'temporarily_unavailable'
  | 'server_error'

interface Details extends ErrorOptions {
  readonly issues?: readonly Issue[]
  readonly retryAfterSeconds?: number
  readonly oauth?: OAuthError
  /** What the response has beside code and message. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/** The one way to refuse. Thrown anywhere, turned into a response once, in `http/answers/refuse.ts`. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: Code
  readonly status: number
  readonly issues: readonly Issue[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly oauth: OAuthError | undefined
  readonly facts: Readonly<Record<string, unknown>> | undefined

  constructor(code: Code, message: string = code, details: Details = {}) {
    super(message, details)
    this.code = code
    this.status = STATUS[code]
    this.issues = details.issues
    this.retryAfterSeconds = details.retryAfterSeconds
    this.oauth = details.oauth
    this.facts = details.facts
  }
}

/** The path names a field or header; it is empty if the body as a whole is wrong. */
export function invalidInput(path: string, message: string): Refusal {
  return new Refusal('INVALID_REQUEST', message, { issues: [{ path, message }] })
}

/** The caller's session or account has ended since the request was authenticated. */
export function signedOutMeanwhile(): Refusal {
  return new Refusal('UNAUTHORIZED', 'You were signed out in the meantime.')
}

/** Handler for `catch` where a refusal is an answer: undefined for a refusal; any other error is rethrown. */
export function unlessRefused(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error
}

/** The error as an OAuth client sees it. */
export interface OAuthFault {
  readonly error: string
  readonly error_description: string
}

/** RFC 6749 section 5.2: a description is printable ASCII without double quotes and backslashes. */
export function oauthFault(error: string, words: string): OAuthFault {
  return {
    error,
    error_description: words.replaceAll(/["\u201c\u201d]/g, "'").replaceAll(/[^\x20-\x7e]|\\/g, '?'),
  }
}

/** 401 for an unknown client or token, 403 for one without the scope, else 400. */
export function oauthRefusal(oauth: OAuthError, message: string): Refusal {
  return new Refusal(OAUTH_CODES[oauth] ?? 'INVALID_REQUEST', message, { oauth })
}

const OAUTH_CODES: Partial<Record<OAuthError, Code>> = {
  invalid_client: 'UNAUTHORIZED',
  invalid_token: 'UNAUTHORIZED',
  insufficient_scope: 'INSUFFICIENT_SCOPE',
}
