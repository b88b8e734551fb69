import type { CodePurpose } from '../../../database/schema.ts'
import { type Letter, writeLetter } from '../../mail/letter.ts'

const WORDS = {
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
  readonly code: string
  readonly link: string
}

export function codeLetter(
  purpose: CodePurpose,
  { appName, supportEmail }: Sender,
  { code, link }: Secrets,
): Letter {
  const { subject, reason, label, closing } = WORDS[purpose]
  const paragraphs = [
    `${reason} Both are valid for 5 minutes. Nobody from ${appName} will ever ask you for them.`,
  ]
  return writeLetter({
    appName,
    supportEmail,
    subject: `${subject} for ${appName}`,
    paragraphs,
    code,
    link: { address: link, label },
    closing,
  })
}
