/**
 * Limits on calls of a signed-in user that write rows, send mail or read a lot. People do not come near these limits;
 * they slow down a runaway program, or a thief with a session. `USER_LIMIT_FACTOR` multiplies them.
 */
export const CALLER_LIMITS = {
  feedback: { most: 600, minutes: 10 },
  /** Each can leave a row, since the id is not checked. */
  'read-marks': { most: 6_000, minutes: 10 },
  'preference-changes': { most: 600, minutes: 10 },
  /** Each leaves a row for ten minutes. */
  'authorization-requests': { most: 120, minutes: 10 },
  /** Each leaves a row for months. */
  'personal-tokens': { most: 60, minutes: 60 },
  'profile-changes': { most: 600, minutes: 10 },
  'factor-changes': { most: 60, minutes: 10 },
  /** Each leaves an entry in the audit log, and can be repeated. */
  'account-changes': { most: 600, minutes: 60 },
  /**
   * Each sends the owner a letter. Counted per session, so that a thief with one session cannot use up the owner's
   * limit in another.
   */
  'others-signed-out': { most: 600, minutes: 60, per: 'session' },
  /** Counted once the password is right, so that a thief without it cannot use up the owner's limit. */
  'password-changes': { most: 600, minutes: 60 },
  /** Each checks a credential, and a right one costs as much as a wrong one. */
  confirmations: { most: 60, minutes: 15, per: 'session' },
  /** Each reads all data about the user, and writes anyway. */
  exports: { most: 30, minutes: 60, counted: 'together' },
  'organizations-created': { most: 60, minutes: 60 },
  'organization-changes': { most: 600, minutes: 10 },
  /** Each tells whether an organisation with the slug exists. */
  'slug-checks': { most: 60, minutes: 10 },
  'notifications-published': { most: 3_000, minutes: 10 },
  /** Each sends a letter. */
  invitations: { most: 600, minutes: 60 },
  /** Each sends a letter. After a break-in, many users are signed out at once. */
  'users-signed-out': { most: 3_000, minutes: 10 },
  /** Each can send a letter. */
  impersonations: { most: 300, minutes: 60 },
  /** Each sends two letters. */
  'staff-changes': { most: 600, minutes: 60 },
  /** Each goes to an address that the administrator chooses. */
  'test-mails': { most: 30, minutes: 60 },
  /** Each goes to an endpoint that the administrator has named, and leaves a delivery. */
  'test-deliveries': { most: 600, minutes: 60 },
  /** Each asks name servers that others run. */
  'mail-domain-checks': { most: 60, minutes: 60 },
} as const

export type CallerLimit = keyof typeof CALLER_LIMITS
