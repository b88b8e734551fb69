import type { Application } from '../queries.ts'
import type { PurposeName } from './purposes.ts'

interface Connection extends Pick<Application, 'client_id' | 'kind' | 'redirect_uris' | 'scopes'> {
  readonly issuer: string
  /** Known only just after it was made. */
  readonly client_secret: string | undefined
}

/** Vite gives a page only the variables that begin like this. */
const prefixOf = ({ kind }: Connection) => (kind === 'browser' ? 'VITE_' : '')

export const keepsSecret = ({ kind }: Pick<Application, 'kind'>) => kind === 'web' || kind === 'service'

export function envOf(connection: Connection): string {
  const prefix = prefixOf(connection)
  return [
    `${prefix}GATEHOUSE_ISSUER=${connection.issuer}`,
    `${prefix}GATEHOUSE_CLIENT_ID=${connection.client_id}`,
    ...(keepsSecret(connection) ? [`GATEHOUSE_CLIENT_SECRET=${connection.client_secret ?? 'gas_…'}`] : []),
  ].join('\n')
}

type Code = (connection: Connection) => string

/** What to write, by what is connected. */
export const codeFor: Readonly<Record<PurposeName, Code>> = {
  nextjs: () => `// auth.ts, after: npm install next-auth@beta
import NextAuth from 'next-auth'

export const { handlers, signIn, signOut, auth } = NextAuth({
  providers: [
    {
      id: 'gatehouse',
      name: 'Gatehouse',
      type: 'oidc',
      issuer: process.env.GATEHOUSE_ISSUER,
      clientId: process.env.GATEHOUSE_CLIENT_ID,
      clientSecret: process.env.GATEHOUSE_CLIENT_SECRET,
    },
  ],
})

// app/api/auth/[...nextauth]/route.ts
import { handlers } from '@/auth'

export const { GET, POST } = handlers`,
  spa: ({ redirect_uris, scopes }) => `// npm install oidc-client-ts
import { UserManager } from 'oidc-client-ts'

const manager = new UserManager({
  authority: import.meta.env.VITE_GATEHOUSE_ISSUER,
  client_id: import.meta.env.VITE_GATEHOUSE_CLIENT_ID,
  redirect_uri: ${quoted(redirect_uris[0])},
  scope: ${quoted(scopes.join(' '))},
})
if (location.search.includes('code=')) await manager.signinCallback()

const user = await manager.getUser()
if (!user) await manager.signinRedirect()`,
  mobile: ({ issuer, client_id, redirect_uris, scopes }) => `// npm install react-native-app-auth
import { authorize } from 'react-native-app-auth'

const signedIn = await authorize({
  issuer: ${quoted(issuer)},
  clientId: ${quoted(client_id)},
  redirectUrl: ${quoted(redirect_uris[0])},
  scopes: ${JSON.stringify(scopes).replaceAll('"', "'").replaceAll(',', ', ')},
})`,
  service: () => `curl "$GATEHOUSE_ISSUER/api/oauth/token" \\
  -u "$GATEHOUSE_CLIENT_ID:$GATEHOUSE_CLIENT_SECRET" \\
  -d grant_type=client_credentials`,
  assistant: ({ issuer, client_id }) =>
    `claude mcp add --transport http gatehouse ${issuer}/mcp \\
  --client-id ${client_id} --callback-port 8080`,
  other: ({ redirect_uris, scopes }) => `// npm install openid-client
import * as oidc from 'openid-client'

const { GATEHOUSE_ISSUER = '', GATEHOUSE_CLIENT_ID = '', GATEHOUSE_CLIENT_SECRET } = process.env
const config = await oidc.discovery(new URL(GATEHOUSE_ISSUER), GATEHOUSE_CLIENT_ID, GATEHOUSE_CLIENT_SECRET)
const [verifier, state] = [oidc.randomPKCECodeVerifier(), oidc.randomState()]
const address = oidc.buildAuthorizationUrl(config, {
  redirect_uri: ${quoted(redirect_uris[0])},
  scope: ${quoted(scopes.join(' '))},
  state,
  code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
})
// Send the browser to the address. At the redirect URI:
const tokens = await oidc.authorizationCodeGrant(config, new URL(request.url), {
  pkceCodeVerifier: verifier,
  expectedState: state,
})`,
}

const quoted = (text = '') => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** An authorization request as the application would send it. Its code goes to the application, which did not ask. */
export function signInAddress({
  client_id,
  redirect_uris,
  scopes,
}: Omit<Connection, 'issuer' | 'client_secret'>): string {
  const random = () =>
    btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')
  return `/oauth/authorize?${new URLSearchParams({
    ...{ client_id, redirect_uri: redirect_uris[0] ?? '', response_type: 'code', scope: scopes.join(' ') },
    ...{ state: random(), nonce: random(), code_challenge: random(), code_challenge_method: 'S256' },
    prompt: 'consent',
  })}`
}
