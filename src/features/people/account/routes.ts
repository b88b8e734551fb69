import { z } from 'zod'
import { refuseRestricted } from '../../../http/protect.ts'
import { Nothing, StatusTrue } from '../../../http/requests/body.ts'
import { protectedRoute, publicRoute, sessionRoute } from '../../../http/route.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import { findCaller } from '../callers/find-caller.ts'
import { challengeHeader } from './challenge.ts'
import { refuseEmailChange, requestEmailChange } from './changing-email.ts'
import { ClientConfig, clientConfig } from './client-config.ts'
import { deleteUser } from './deletion.ts'
import { HeldSession, listDeviceSessions, revokeDeviceSession, setActiveSession } from './device-sessions.ts'
import { refuseEmailAction, refuseSignUp } from './email-rules.ts'
import {
  AcceptInvitation,
  ChangeEmail,
  ChangePassword,
  DeleteUser,
  OwnersLink,
  RequestCode,
  RequestReset,
  ResetPassword,
  ShowInvitation,
  SignInEmail,
  SignUpEmail,
  UpdateUser,
  VerifyEmail,
} from './input.ts'
import { acceptInvitation, ShownInvitation, showInvitation } from './joining.ts'
import { previewRoutes } from './letter-preview.ts'
import {
  PasswordChanged,
  Secured,
  SessionAnswer,
  SessionOfUser,
  SignedIn,
  SignedUp,
  Success,
  Verified,
} from './output.ts'
import { changePassword } from './password.ts'
import { updateUser } from './profile.ts'
import { requestPasswordReset, resetPassword } from './reset.ts'
import { secureAccount } from './securing.ts'
import { signIn } from './sign-in.ts'
import { signOut } from './sign-out.ts'
import { signUp } from './sign-up.ts'
import { sendVerificationCode, verifyEmail } from './verify.ts'
import { mayReadProfile, wireKnownUser, wireSession } from './wire.ts'

const codeRoutes = [
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
    path: '/api/auth/secure-account',
    summary: 'End every session and tool and remove the password, with the link of a letter about a sign-in',
    input: OwnersLink,
    output: Secured,
    handle: secureAccount,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/show-invitation',
    summary: 'What the link of an invitation leads to',
    input: ShowInvitation,
    output: ShownInvitation,
    handle: showInvitation,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/accept-invitation',
    session: 'can be opened',
    summary: 'Set the first password with the link of an invitation; to an organisation, make the account',
    input: AcceptInvitation,
    output: Success,
    described: { headers: { 'set-auth-token': 'The token of the session, if an account was made.' } },
    handle: acceptInvitation,
  }),
] as const

/** What a browser holds decides here, so that a user who is not let in yet can leave for another account. */
const deviceSessionRoutes = [
  publicRoute({
    method: 'GET',
    path: '/api/auth/multi-session/list-device-sessions',
    summary: 'The accounts that are signed in in this browser, the active one first',
    input: Nothing,
    output: z.array(SessionOfUser),
    described: { credential: 'optional' },
    whileActing: 'never',
    handle: listDeviceSessions,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/multi-session/set-active',
    summary: 'Make another account of this browser the active one',
    input: HeldSession,
    output: SessionOfUser,
    handle: setActiveSession,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/multi-session/revoke',
    summary: 'Sign one account out of this browser; the next becomes active',
    input: HeldSession,
    output: StatusTrue,
    handle: revokeDeviceSession,
  }),
] as const

const ownAccountRoutes = [
  sessionRoute({
    method: 'POST',
    path: '/api/auth/change-password',
    session: 'can be opened',
    summary: 'Replace the password; this session gets a new token',
    input: ChangePassword,
    output: PasswordChanged,
    handle: changePassword,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/auth/update-user',
    summary: 'Change name or picture',
    scope: 'account:profile:write',
    input: UpdateUser,
    output: StatusTrue,
    limit: 'profile-changes',
    handle: updateUser,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/delete-user',
    summary: 'Delete the account and everything that belongs to it',
    input: DeleteUser,
    output: Success,
    handle: deleteUser,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/change-email',
    summary: 'Ask for another address, to which a code is mailed',
    input: ChangeEmail,
    output: StatusTrue,
    limit: 'profile-changes',
    needsFreshSession: true,
    before: refuseEmailChange,
    handle: requestEmailChange,
  }),
] as const

export const accountRoutes = [
  publicRoute({
    method: 'GET',
    path: '/api/client_config',
    summary: 'The public configuration for a sign-in page',
    input: Nothing,
    output: ClientConfig,
    handle: async (call) => {
      // Pages call this repeatedly: without a caller it would remove a signed-in browser's bookmark.
      await findCaller(call.platform, call.exchange)
      return clientConfig(call.platform, await settingsOf(call))
    },
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/sign-up/email',
    session: 'can be opened',
    summary: 'Create an account with an email address and a password',
    input: SignUpEmail,
    output: SignedUp,
    before: refuseSignUp,
    described: { parameters: challengeHeader },
    handle: signUp,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/sign-in/email',
    session: 'can be opened',
    summary: 'Sign in with an email address and a password',
    input: SignInEmail,
    output: SignedIn,
    described: {
      parameters: challengeHeader,
      headers: { 'set-auth-token': 'The token of the session, for programs.' },
    },
    handle: signIn,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/sign-out',
    summary: 'End this session, and the others of this browser',
    input: Nothing,
    output: Success,
    // Accepted in order to say that this does not end a connection.
    grants: 'accepted',
    whileActing: 'reads',
    handle: signOut,
  }),
  publicRoute({
    method: 'GET',
    path: '/api/auth/get-session',
    summary: "The caller's session and user, or null",
    input: Nothing,
    output: SessionAnswer,
    grants: 'accepted',
    described: { credential: 'optional' },
    handle: async ({ platform, exchange }) => {
      const caller = await findCaller(platform, exchange)
      // The pages must find out that the user is restricted; tools are refused as everywhere else.
      if (caller?.credential.kind === 'grant') refuseRestricted(caller)
      return caller && mayReadProfile(caller)
        ? { session: wireSession(caller), user: await wireKnownUser(platform, caller.user) }
        : null
    },
  }),
  ...deviceSessionRoutes,
  ...codeRoutes,
  ...previewRoutes,
  ...ownAccountRoutes,
] as const
