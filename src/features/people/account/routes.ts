import { refuseRestricted } from '../../../http/protect.ts'
import { Nothing } from '../../../http/requests/body.ts'
import { publicRoute } from '../../../http/route.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { findCaller } from '../callers/find-caller.ts'
import { accountRoutes } from './account-routes.ts'
import { challengeHeader } from './challenge.ts'
import { ClientConfig, clientConfig } from './client-config.ts'
import { codeRoutes } from './code-routes.ts'
import { refuseSignUp } from './email-rules.ts'
import { loggingFailures } from './failed-sign-in-log.ts'
import { SignInEmail, SignUpEmail } from './input.ts'
import { previewRoutes } from './letter-preview.ts'
import { SessionAnswer, SignedIn, SignedUp, Success } from './output.ts'
import { signIn } from './sign-in.ts'
import { signUp } from './sign-up.ts'
import { signOut } from './signing-out.ts'
import { mayReadProfile, wireKnownUser, wireSession } from './wire.ts'

export const identityRoutes = [
  publicRoute({
    method: 'GET',
    path: '/api/client_config',
    summary: 'The public configuration for a sign-in page',
    input: Nothing,
    output: ClientConfig,
    handle: async ({ platform, exchange }) => {
      // Pages call this repeatedly: without a caller it would remove a signed-in browser's bookmark.
      await findCaller(platform, exchange)
      return clientConfig(platform, await currentSettings(platform))
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
    handle: (call, input) => loggingFailures(call, () => signIn(call, input)),
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/sign-out',
    summary: 'End this session',
    input: Nothing,
    output: Success,
    // Accepted in order to say that this does not end a connection.
    grants: 'accepted',
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
  ...codeRoutes,
  ...previewRoutes,
  ...accountRoutes,
] as const
