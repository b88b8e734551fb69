/** What has changed on an account, or was tried. The owner gets a letter about each. */
export const CHANGES = [
  'password changed',
  'password reset',
  'password reset on the host',
  'invitation accepted',
  'verified in another browser',
  'totp added',
  'totp removed',
  'passkey added',
  'passkey removed',
  'passkey copied',
  'backup codes renewed',
  'backup code used',
  'factors removed',
  'wrong second steps',
  'device trusted',
  'device no longer trusted',
  'signed out everywhere',
  'signed out elsewhere',
  'provider linked',
  'provider unlinked',
  'tool connected',
  'application connected',
  'tool disconnected',
  'token made',
  'token revoked',
] as const

export type Change = (typeof CHANGES)[number]

interface Circumstances {
  readonly time: string
  readonly device: string | null
  readonly address: string | null
  readonly place: string | null
  /** Of the tool, application or token that the letter is about. */
  readonly name: string | undefined
}

interface Told {
  readonly subject: string
  readonly what: string
  /** If somebody else made the change, so that “If this was you” would be wrong. */
  readonly closing?: string
}

export interface Words {
  readonly changes: Readonly<Record<Change, Told>>
  when(facts: Circumstances): string
  /** There is one tool, and its name is ours to translate; all other names are what somebody wrote. */
  readonly tool: string
  readonly closing: string
}
