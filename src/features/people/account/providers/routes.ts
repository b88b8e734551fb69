import { requireFresh } from '../../../../http/freshness.ts'
import { Done, Nothing, StatusTrue } from '../../../../http/requests/body.ts'
import { type Call, publicRoute, type SignedInCall, sessionRoute } from '../../../../http/route.ts'
import { callbackPath, type SocialProvider } from '../../../ground/provider-presets/presets.ts'
import { finishFlow } from './flow/callback.ts'
import { beginFlow } from './flow/flow.ts'
import * as input from './input.ts'
import { listAccounts, unlinkAccount } from './linking.ts'
import { providerNamed } from './provider-name.ts'

interface Way {
  readonly callbackURL?: string | undefined
  readonly errorCallbackURL?: string | undefined
  readonly disableRedirect?: boolean | undefined
}

async function toSignIn(call: Call, provider: SocialProvider, way: Way) {
  return { url: await beginFlow(call, provider, way, null), redirect: !way.disableRedirect }
}

/** A failed link leads to the same page as a successful one by default, since its user is signed in. */
async function toLink(call: SignedInCall, provider: SocialProvider, way: Way) {
  requireFresh(call)
  const addresses = { ...way, errorCallbackURL: way.errorCallbackURL ?? way.callbackURL ?? '/' }
  return {
    url: await beginFlow(call, provider, addresses, call.caller.user.id),
    redirect: !way.disableRedirect,
  }
}

function callbackRoute<const P extends SocialProvider>(provider: P) {
  return publicRoute({
    method: 'GET',
    path: callbackPath[provider],
    session: 'can be opened',
    summary: 'The callback of the provider; redirects',
    input: input.ProviderAnswer,
    output: Done,
    answer: 'redirect',
    handle: (call) => finishFlow(call, provider),
  })
}

export const providerRoutes = [
  publicRoute({
    method: 'POST',
    path: '/api/auth/sign-in/social',
    summary: 'Start a sign-in with a provider',
    input: input.SignInSocial,
    output: input.ToProvider,
    handle: (call, way) => toSignIn(call, providerNamed(call.platform.config, way.provider), way),
  }),
  publicRoute({
    method: 'POST',
    path: '/api/auth/sign-in/oauth2',
    summary: 'Start a sign-in with the community provider',
    input: input.SignInOAuth2,
    output: input.ToProvider,
    handle: (call, way) => toSignIn(call, way.providerId, way),
  }),
  callbackRoute('provider_a'),
  callbackRoute('provider_b'),
  callbackRoute('community'),
  sessionRoute({
    method: 'GET',
    path: '/api/auth/list-accounts',
    summary: "The signed-in user's ways to sign in",
    input: Nothing,
    output: input.LinkedAccounts,
    handle: ({ platform, caller }) => listAccounts(platform, caller.user.id),
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/link-social',
    summary: 'Start linking an account at a provider',
    input: input.LinkSocial,
    output: input.ToProvider,
    handle: (call, way) => toLink(call, providerNamed(call.platform.config, way.provider), way),
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/oauth2/link',
    summary: 'Start linking an account at the community provider',
    input: input.LinkOAuth2,
    output: input.ToProvider,
    handle: (call, way) => toLink(call, way.providerId, way),
  }),
  sessionRoute({
    method: 'POST',
    path: '/api/auth/unlink-account',
    summary: 'Unlink an account, unless it is the last sign-in method',
    input: input.UnlinkAccount,
    output: StatusTrue,
    needsFreshSession: true,
    handle: async (call, account) => {
      await unlinkAccount(call, account)
      return { status: true as const }
    },
  }),
] as const
