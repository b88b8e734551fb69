import { z } from 'zod'
import type { Platform } from '../../../platform/platform.ts'
import { IDENTITY_SCOPES, SCOPES } from '../../../rules/scopes.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { SIGNING_ALGORITHMS } from '../../ground/signing/keys.ts'
import { cliClient } from '../clients/cli-client.ts'
import { GRANT_TYPES } from '../clients/client.ts'
import { transportScopes } from './requests/requested-scopes.ts'

export const ServerMetadata = z.looseObject({ issuer: z.string() })

const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'] as const

/** The metadata of RFC 8414 and OpenID Connect Discovery, with what RFC 8628 and RFC 9207 add. */
export async function serverMetadata(platform: Platform) {
  const issuer = platform.config.baseUrl
  const { assistants } = await currentSettings(platform)

  const scopes = [...new Set([...Object.keys(IDENTITY_SCOPES), ...transportScopes, ...Object.keys(SCOPES)])]
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/api/oauth/token`,
    device_authorization_endpoint: `${issuer}/api/oauth/device_authorization`,
    revocation_endpoint: `${issuer}/api/oauth/revoke`,
    introspection_endpoint: `${issuer}/api/oauth/introspect`,
    userinfo_endpoint: `${issuer}/api/oauth/userinfo`,
    end_session_endpoint: `${issuer}/oauth/end-session`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    jwks_uri: `${issuer}/api/oauth/jwks`,
    ...(assistants.registration && { registration_endpoint: `${issuer}/api/oauth/register` }),
    client_id_metadata_document_supported: assistants.client_documents,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: [...new Set(Object.values(GRANT_TYPES).flat())],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...SIGNING_ALGORITHMS],
    claims_supported: [...CLAIMS],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    token_endpoint_auth_methods_supported: ['none', ...SECRET_METHODS],
    revocation_endpoint_auth_methods_supported: ['none', ...SECRET_METHODS],
    introspection_endpoint_auth_methods_supported: [...SECRET_METHODS],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
    service_documentation: `${issuer}/api/docs`,
    // An extension of RFC 8414: the built-in client, beside the administrator's applications.
    client_ids: [cliClient.id],
  }
}

const CLAIMS = [
  ...['iss', 'sub', 'aud', 'azp', 'exp', 'iat', 'auth_time', 'nonce', 'sid'],
  ...['name', 'preferred_username', 'picture', 'updated_at', 'email', 'email_verified'],
  ...['org_id', 'org_slug', 'org_name', 'org_roles', 'organizations'],
]
