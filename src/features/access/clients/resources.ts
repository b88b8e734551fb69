import type { Config } from '../../../config/config.ts'
import { MCP_PATH } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { oauthRefusal } from '../../../rules/refusal.ts'
import { applicationByResource } from './statements.ts'

/**
 * The resource of RFC 8707 that a token is for: null for this service, with its API and `/mcp`; undefined if the
 * address is unknown. Addresses are compared as URLs, so the slash after a host does not matter.
 */
export async function findResource(
  { config, meta }: Pick<Platform, 'config' | 'meta'>,
  sent: string,
): Promise<string | null | undefined> {
  const address = canonical(sent)
  if (address === undefined) return undefined
  if (address === canonical(config.baseUrl)) return null
  if (address === mcpResource(config)) return address
  return (await applicationByResource(meta, address))?.resource ?? undefined
}

/** The resource a token request asks for, checked against the grant's. */
export async function narrowedResource(
  platform: Pick<Platform, 'config' | 'meta'>,
  granted: string | null,
  sent: string | undefined,
): Promise<string | null> {
  const wanted = sent === undefined ? granted : await findResource(platform, sent)
  if (wanted === granted) return granted
  // `/mcp` is part of this service.
  if (granted === null && wanted === mcpResource(platform.config)) return wanted
  throw foreignTarget()
}

export function foreignTarget() {
  return oauthRefusal('invalid_target', UNKNOWN_TARGET)
}

export const UNKNOWN_TARGET = 'The token cannot be for this resource.'

export function mcpResource({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return `${baseUrl}${MCP_PATH}`
}

/** Undefined for anything that cannot be a resource. */
export function canonical(address: string): string | undefined {
  const url = URL.parse(address)
  if (!url || address.includes('#') || url.username !== '' || url.password !== '') return undefined
  return url.pathname === '/' && url.search === '' ? url.origin : url.href
}
