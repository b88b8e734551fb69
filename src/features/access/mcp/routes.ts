import { z } from 'zod'
import type { Config } from '../../../config/config.ts'
import { Nothing } from '../../../http/requests/body.ts'
import { MCP_PATH, publicRoute } from '../../../http/route.ts'
import { type IDENTITY_SCOPES, isAdministratorScope, isScope, SCOPES } from '../../../rules/scopes.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** RFC 9728. */
const ResourceMetadata = z.looseObject({ resource: z.string(), authorization_servers: z.array(z.string()) })

export const mcpRoutes = [
  publicRoute({
    method: 'GET',
    path: WELL_KNOWN,
    summary: 'Metadata of this API as a protected resource (RFC 9728)',
    input: Nothing,
    output: ResourceMetadata,
    handle: async ({ platform }) => metadataOf(platform.config, ''),
  }),
  publicRoute({
    method: 'GET',
    path: `${WELL_KNOWN}${MCP_PATH}`,
    summary: 'Metadata of the Model Context Protocol server as a protected resource (RFC 9728)',
    input: Nothing,
    output: ResourceMetadata,
    handle: async ({ platform }) => metadataOf(platform.config, MCP_PATH),
  }),
] as const

export function mcpMetadataUrl({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return `${baseUrl}${WELL_KNOWN}${MCP_PATH}`
}

function metadataOf({ baseUrl }: Config, path: string) {
  return {
    resource: `${baseUrl}${path}`,
    authorization_servers: [baseUrl],
    scopes_supported: EVERYBODYS,
    bearer_methods_supported: ['header'],
    resource_documentation: `${baseUrl}/api/docs`,
  }
}

/**
 * Assistants request everything listed, so scopes that only the administrator can give are left out; they are requested
 * by name.
 */
const EVERYBODYS = [
  ...Object.keys(SCOPES)
    .filter(isScope)
    .filter((scope) => !isAdministratorScope(scope)),
  'offline_access' satisfies keyof typeof IDENTITY_SCOPES,
]
