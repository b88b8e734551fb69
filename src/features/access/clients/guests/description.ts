import { z } from 'zod'
import { isLoopback } from '../../../../config/public-address.ts'
import { nameOf } from '../../../../rules/names.ts'
import { faultOfRedirect, isOnThisMachine, ON_THIS_MACHINE } from '../redirects.ts'

const LONGEST_NAME = 60

/** A client's own metadata, from its document or its registration (RFC 7591 section 2). */
export const Description = z.object({
  client_name: nameOf(LONGEST_NAME),
  redirect_uris: z.array(z.string().max(2048)).min(1).max(20),
  client_uri: z.string().max(2048).optional(),
  token_endpoint_auth_method: z.string().max(64).optional(),
  grant_types: z.array(z.string().max(128)).max(20).optional(),
  response_types: z.array(z.string().max(64)).max(20).optional(),
})
export type Description = z.output<typeof Description>

/** The reason an address cannot be registered, with its index in the list. */
export function faultOfRedirects(uris: readonly string[], domain: string | undefined): string | undefined {
  const faults = uris.map((uri) => faultOfRedirect('native', uri) ?? faultOfDomain(new URL(uri), domain))
  const first = faults.findIndex((fault) => fault !== undefined)
  return first < 0 ? undefined : `redirect_uris.${first}: ${faults[first]}`
}

/** Allows the addresses of RFC 8252 and the client's own domain: no code goes to a domain that users are not shown. */
function faultOfDomain(url: URL, domain: string | undefined): string | undefined {
  if (isOnThisMachine(url) || url.protocol !== 'https:' || url.host === domain) return undefined
  if (isLoopback(url.hostname)) return `For a program on the user's machine use http: ${ON_THIS_MACHINE}.`
  const own = domain === undefined ? '' : `addresses of ${domain}, `
  return `Use ${own}${ON_THIS_MACHINE}, or a scheme like com.example.app:/`
}
