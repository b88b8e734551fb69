import { z } from 'zod'
import { SCOPES } from '../../rules/scopes.ts'
import { client } from './client.ts'
import { transportScopes } from './requests/requested-scopes.ts'

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export const ServerMetadata = z.looseObject({ issuer: z.string() })

/** RFC 8414, and what RFC 8628 and RFC 9207 add to it. */
export function serverMetadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/api/oauth/token`,
    device_authorization_endpoint: `${issuer}/api/oauth/device_authorization`,
    revocation_endpoint: `${issuer}/api/oauth/revoke`,
    scopes_supported: [...transportScopes, ...Object.keys(SCOPES)],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_GRANT],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${issuer}/api/docs`,
    // Not of RFC 8414: there is no registration, so the one public client is named here.
    client_ids: [client.id],
  }
}
