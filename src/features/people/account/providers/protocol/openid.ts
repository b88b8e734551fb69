import * as oauth from 'oauth4webapi'
import { z } from 'zod'
import { Refusal } from '../../../../../rules/refusal.ts'
import type { OpenIdPreset, Profile } from '../../../../ground/provider-presets/preset.ts'
import type { Connection } from './connection.ts'

const Yes = z.union([z.literal(true), z.literal('true'), z.literal(1), z.literal('1')])

/** The stores can keep neither NUL bytes nor lone surrogates, so two subjects could become one there. */
const Subject = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'The subject has characters that cannot be kept.')

const Claims = z.object({
  sub: Subject,
  email: z.string().optional().catch(undefined),
  email_verified: Yes.optional().catch(undefined),
  // Microsoft only: the address's domain is verified as the tenant's.
  xms_edov: Yes.optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  preferred_username: z.string().optional().catch(undefined),
  picture: z.string().optional().catch(undefined),
})

/**
 * Checks signature, issuer, audience, times and nonce of the ID token, and reads the user endpoint if the token has
 * no address.
 */
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
  const answer = await oauth.userInfoRequest(server, client, sendable(tokens.access_token), request)
  const more = await oauth.processUserInfoResponse(server, client, claims.sub, answer)
  return profileOf({ ...claims, ...Claims.parse(more) })
}

/** Checked by RFC 6749, appendix A.12, because the error of a request that cannot carry the token would quote it. */
export function sendable(accessToken: string): string {
  if (/^[ -~]+$/.test(accessToken)) return accessToken
  throw new Refusal('PROVIDER_ERROR', "The provider's token cannot be sent in an HTTP header.")
}

function profileOf(claims: z.output<typeof Claims>): Profile {
  const isVerified = claims.email_verified !== undefined || claims.xms_edov !== undefined
  return {
    id: claims.sub,
    verifiedEmail: isVerified ? claims.email : undefined,
    name: claims.name || claims.preferred_username,
    handle: claims.preferred_username,
    image: claims.picture,
  }
}

const Tenant = z.object({ tid: z.guid() })

/**
 * Replaces the placeholder in the issuer with the token's tenant. Checking the token then shows whether the issuer
 * matches.
 */
async function tenantOf(server: oauth.AuthorizationServer, response: Response): Promise<oauth.AuthorizationServer> {
  const { id_token } = z.object({ id_token: z.string() }).parse(await response.clone().json())
  const payload = Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString('utf8')
  const tenant = Tenant.safeParse(JSON.parse(payload))
  if (!tenant.success) throw new Refusal('PROVIDER_ERROR', 'The ID token has no tenant.')
  return { ...server, issuer: server.issuer.replace('{tenantid}', tenant.data.tid) }
}
