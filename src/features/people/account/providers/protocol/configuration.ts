import type { AuthorizationServer } from 'oauth4webapi'
import { z } from 'zod'

const Names = z.array(z.string()).optional()

/** Browsers are sent to one of the addresses, where `javascript:` would run in the page that sends them. */
function configurationOf(issuer: string) {
  const protocol = issuer.startsWith('http:') ? /^https?$/ : /^https$/
  const Address = z.url({ protocol })
  return z.object({
    authorization_endpoint: Address,
    token_endpoint: Address,
    jwks_uri: Address,
    userinfo_endpoint: Address.optional(),
    token_endpoint_auth_methods_supported: Names,
    id_token_signing_alg_values_supported: Names,
  })
}

/** The provider's metadata, if every value used here has the right type; throws otherwise. */
export function readConfiguration(server: AuthorizationServer): AuthorizationServer {
  configurationOf(server.issuer).parse(server)
  return server
}
