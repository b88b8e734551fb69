import { Nothing, StatusTrue } from '../../../../http/requests/body.ts'
import { publicRoute, sessionRoute } from '../../../../http/route.ts'
import { refuseSignUp } from '../../account/email-rules.ts'
import { SignedUp, Success } from '../../account/output.ts'
import * as input from '../input.ts'
import { beginInvitation, finishInvitation } from './passkey-invitation.ts'
import { beginSignUp, finishSignUp } from './passkey-sign-up.ts'
import {
  beginAuthentication,
  beginRegistration,
  finishAuthentication,
  finishRegistration,
  listMyPasskeys,
  removeMyPasskey,
  renameMyPasskey,
} from './passkeys.ts'

const keepingRoutes = [
  sessionRoute({
    method: 'GET',
    path: '/api/auth/passkey/generate-register-options',
    summary: 'WebAuthn options for a new passkey, for this browser',
    secondFactor: 'not needed',
    input: input.RegisterOptions,
    output: input.Options,
    limit: 'factor-changes',
    needsFreshSession: true,
    handle: (call, { authenticatorAttachment }) => beginRegistration(call, authenticatorAttachment),
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/passkey/verify-registration',
    summary: 'Add the passkey that the browser has created',
    secondFactor: 'not needed',
    input: input.VerifyRegistration,
    output: input.Passkey,
    needsFreshSession: true,
    handle: finishRegistration,
  }),
  sessionRoute({
    method: 'GET',
    path: '/api/auth/passkey/list-user-passkeys',
    summary: 'The passkeys of the signed-in user',
    secondFactor: 'not needed',
    input: Nothing,
    output: input.Passkeys,
    handle: listMyPasskeys,
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/passkey/update-passkey',
    summary: 'Name a passkey',
    input: input.UpdatePasskey,
    output: input.UpdatedPasskey,
    limit: 'account-changes',
    handle: (call, { id, name }) => renameMyPasskey(call, id, name),
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/passkey/delete-passkey',
    summary: 'Remove a passkey, unless it is the last sign-in method',
    input: input.FactorId,
    output: StatusTrue,
    needsFreshSession: true,
    handle: (call, { id }) => removeMyPasskey(call, id),
  }),
] as const

const signInRoutes = [
  publicRoute({
    method: 'GET',
    path: '/api/auth/passkey/generate-authenticate-options',
    summary: 'WebAuthn options to sign in or to confirm with a passkey, for this browser',
    input: input.AuthenticationWish,
    output: input.Options,
    described: { credential: 'optional' },
    whileActing: 'never',
    handle: beginAuthentication,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/passkey/verify-authentication',
    session: 'can be opened',
    summary: 'Sign in with a passkey, or use it as the second step',
    input: input.VerifyAuthentication,
    output: input.SecondStepDone,
    handle: (call, { response }) => finishAuthentication(call, response),
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/passkey/generate-sign-up-options',
    summary: 'WebAuthn options for an account with a passkey instead of a password',
    input: input.SignUpOptions,
    output: input.Options,
    before: refuseSignUp,
    handle: beginSignUp,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/passkey/verify-sign-up',
    session: 'can be opened',
    summary: 'Create the account with the passkey that the browser has created',
    input: input.VerifySignUp,
    output: SignedUp,
    before: refuseSignUp,
    handle: (call, { response }) => finishSignUp(call, response),
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/passkey/generate-invitation-options',
    summary: 'WebAuthn options for the first passkey of an invited user',
    input: input.InvitationOptions,
    output: input.Options,
    handle: beginInvitation,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/passkey/accept-invitation',
    session: 'can be opened',
    summary: 'Accept an invitation with a passkey; to an organisation, make the account',
    input: input.AcceptWithPasskey,
    output: Success,
    handle: finishInvitation,
  }),
] as const

export const passkeyRoutes = [...keepingRoutes, ...signInRoutes] as const
