import type { CodePurpose } from '../../../database/schema.ts'
import { type Letter, writeLetter } from '../../mail/letter.ts'

const WORDS = {
  'email-verification': {
    subject: 'Verification code',
    reason: 'Enter this code to verify your email address.',
    closing: 'If you did not sign up, nothing more happens: you can ignore this mail.',
  },
  'password-reset': {
    subject: 'Password reset code',
    reason: 'Enter this code to choose a new password.',
    closing: 'If you did not ask for a new password, ignore this mail; your password stays as it is.',
  },
} as const satisfies Record<CodePurpose, unknown>

interface Sender {
  readonly appName: string
  readonly supportEmail: string
}

export function codeLetter(purpose: CodePurpose, { appName, supportEmail }: Sender, code: string): Letter {
  const { subject, reason, closing } = WORDS[purpose]
  const paragraphs = [`${reason} It is valid for 5 minutes. Nobody from ${appName} will ever ask you for it.`]
  return writeLetter({
    appName,
    supportEmail,
    subject: `${subject} for ${appName}`,
    paragraphs,
    code,
    closing,
  })
}
