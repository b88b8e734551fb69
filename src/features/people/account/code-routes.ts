import { publicRoute } from '../../../http/route.ts'
import { challengeHeader } from './challenge.ts'
import { refuseEmailAction } from './email-rules.ts'
import { AcceptInvitation, RequestCode, RequestReset, ResetPassword, VerifyEmail } from './input.ts'
import { acceptInvitation } from './invitation.ts'
import { Success, Verified } from './output.ts'
import { requestPasswordReset, resetPassword } from './reset.ts'
import { sendVerificationCode, verifyEmail } from './verify.ts'

export const codeRoutes = [
  publicRoute({
    method: 'POST',
    path: '/api/auth/email-otp/send-verification-otp',
    summary: 'Send a code that verifies an email address',
    input: RequestCode,
    output: Success,
    before: refuseEmailAction,
    handle: sendVerificationCode,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/email-otp/verify-email',
    summary: 'Verify an email address with its code',
    input: VerifyEmail,
    output: Verified,
    before: refuseEmailAction,
    handle: verifyEmail,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/email-otp/request-password-reset',
    summary: 'Send a code for setting a new password',
    input: RequestReset,
    output: Success,
    before: refuseEmailAction,
    described: { parameters: challengeHeader },
    handle: requestPasswordReset,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/email-otp/reset-password',
    summary: 'Set a new password with a code; ends every session',
    input: ResetPassword,
    output: Success,
    before: refuseEmailAction,
    handle: resetPassword,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/accept-invitation',
    summary: 'Set the first password with the link of an invitation',
    input: AcceptInvitation,
    output: Success,
    handle: acceptInvitation,
  }),
] as const
