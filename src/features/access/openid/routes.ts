import { Nothing } from '../../../http/requests/body.ts'
import { publicRoute } from '../../../http/route.ts'
import { ServerMetadata, serverMetadata } from '../grants/metadata.ts'
import { signOutFacts } from './end-session.ts'
import { EndSession, Introspect, Introspected, SignOutFacts, UserInfo, UserInfoForm } from './input.ts'
import { introspect } from './introspection.ts'
import { userInfo } from './userinfo.ts'

export const openidRoutes = [
  publicRoute({
    method: 'GET',
    path: '/.well-known/openid-configuration',
    summary: 'Metadata for applications that sign users in (OpenID Connect Discovery)',
    input: Nothing,
    output: ServerMetadata,
    handle: ({ platform }) => serverMetadata(platform),
  }),
  publicRoute({
    method: 'GET',
    path: '/api/oauth/userinfo',
    summary: 'The user of an access token, as far as its scopes allow',
    refusals: 'of OAuth',
    input: Nothing,
    output: UserInfo,
    grants: 'accepted',
    described: { credential: 'required' },
    handle: (call) => userInfo(call, undefined),
  }),
  publicRoute({
    method: 'POST',
    path: '/api/oauth/userinfo',
    summary: 'The user of an access token, as far as its scopes allow',
    body: 'form',
    input: UserInfoForm,
    output: UserInfo,
    grants: 'accepted',
    described: { credential: 'required' },
    handle: (call, { access_token }) => userInfo(call, access_token),
  }),
  publicRoute({
    method: 'POST',
    path: '/api/oauth/introspect',
    summary: 'Whether a token is still valid, for applications with a secret (RFC 7662)',
    body: 'form',
    input: Introspect,
    grants: 'accepted',
    described: { required: ['token'], credential: 'of an application' },
    output: Introspected,
    handle: introspect,
  }),
  publicRoute({
    method: 'POST',
    path: '/api/oauth/describe_sign_out',
    summary: 'Describe the application that asks for a sign-out, and where it redirects',
    // The page sends its whole query, and OAuth says to ignore unknown parameters.
    input: EndSession.loose(),
    output: SignOutFacts,
    handle: ({ platform }, asked) => signOutFacts(platform, asked),
  }),
] as const
