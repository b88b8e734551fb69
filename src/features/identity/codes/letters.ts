import type { CodePurpose } from '../../../database/schema.ts'
import { type Letter, writeLetter } from '../../mail/letter.ts'

const WORDS = {
  invitation: {
    subject: 'Your invitation',
    reason: 'An account has been made for you. Open the link to choose how you sign in.',
    label: 'Accept the invitation',
    closing: 'If you did not expect this, ignore this mail: nobody can sign in until the link is used.',
  },
  'email-verification': {
    subject: 'Verification code',
    reason: 'To verify your email address, enter this code where you signed up, or open the link there.',
    label: 'Verify email address',
    closing: 'If you did not sign up, nothing more happens: you can ignore this mail.',
  },
  'password-reset': {
    subject: 'Password reset code',
    reason: 'To choose a new password, enter this code or open the link.',
    label: 'Choose a new password',
    closing: 'If you did not ask for a new password, ignore this mail; your password stays as it is.',
  },
} as const satisfies Record<CodePurpose, unknown>

interface Sender {
  readonly appName: string
  readonly supportEmail: string
}

interface Secrets {
  /** Absent in an invitation. */
  readonly code: string | undefined
  readonly link: string
}

export function codeLetter(
  purpose: CodePurpose,
  { appName, supportEmail }: Sender,
  { code, link }: Secrets,
): Letter {
  const { subject, reason, label, closing } = WORDS[purpose]
  const lifetime =
    code === undefined
      ? `It is valid for 7 days. Nobody from ${appName} will ever ask you for it.`
      : `Both are valid for 5 minutes. Nobody from ${appName} will ever ask you for them.`
  const paragraphs = [`${reason} ${lifetime}`]
  return writeLetter({
    appName,
    supportEmail,
    subject: purpose === 'invitation' ? `${subject} to ${appName}` : `${subject} for ${appName}`,
    paragraphs,
    ...(code !== undefined && { code }),
    link: { address: link, label },
    closing,
  })
}
