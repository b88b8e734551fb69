import * as oauth from 'oauth4webapi'
import { z } from 'zod'
import { Refusal } from '../../../../rules/refusal.ts'
import { webAddress } from '../../../provider-presets/image.ts'
import type { OpenIdPreset, Profile } from '../../../provider-presets/preset.ts'
import type { Connection } from './connection.ts'

const Yes = z.union([z.literal(true), z.literal('true'), z.literal(1), z.literal('1')])

const Claims = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().optional().catch(undefined),
  email_verified: Yes.optional().catch(undefined),
  // Microsoft's own: the domain of the address is verified as belonging to the tenant.
  xms_edov: Yes.optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  preferred_username: z.string().optional().catch(undefined),
  picture: z.string().optional().catch(undefined),
})

/** ID token with signature, issuer, audience, times and nonce checked; then the user endpoint if need be. */
export async function openIdProfile(
  connection: Connection,
  preset: OpenIdPreset,
  response: Response,
  nonce: string,
): Promise<Profile> {
  const { client, request } = connection
  const server = preset.tenantIssuer ? await tenantOf(connection.server, response) : connection.server
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(server, response, request)
  const claims = Claims.parse(oauth.getValidatedIdTokenClaims(tokens))
  if (claims.email !== undefined || !server.userinfo_endpoint) return profileOf(claims)
  const told = await oauth.userInfoRequest(server, client, tokens.access_token, request)
  const more = await oauth.processUserInfoResponse(server, client, claims.sub, told)
  return profileOf({ ...claims, ...Claims.parse(more) })
}

function profileOf(claims: z.output<typeof Claims>): Profile {
  const isVerified = claims.email_verified !== undefined || claims.xms_edov !== undefined
  return {
    id: claims.sub,
    verifiedEmail: isVerified ? claims.email : undefined,
    name: claims.name || claims.preferred_username,
    image: webAddress(claims.picture),
  }
}

const Tenant = z.object({ tid: z.guid() })

/** The token names its tenant; that its issuer is this tenant is checked with the rest of it. */
async function tenantOf(
  server: oauth.AuthorizationServer,
  response: Response,
): Promise<oauth.AuthorizationServer> {
  const { id_token } = z.object({ id_token: z.string() }).parse(await response.clone().json())
  const payload = Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString('utf8')
  const tenant = Tenant.safeParse(JSON.parse(payload))
  if (!tenant.success) throw new Refusal('PROVIDER_ERROR', 'The ID token names no tenant.')
  return { ...server, issuer: server.issuer.replace('{tenantid}', tenant.data.tid) }
}
