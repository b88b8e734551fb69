import { z } from 'zod'
import { nameOf } from '../../../../rules/names.ts'
import { faultOfRedirect, isOnThisMachine } from '../redirects.ts'

const LONGEST_NAME = 60

/** What a client says about itself, in a document or when it registers (RFC 7591 section 2). */
export const Description = z.object({
  client_name: nameOf(LONGEST_NAME),
  redirect_uris: z.array(z.string().max(2048)).min(1).max(20),
  client_uri: z.string().max(2048).optional(),
  token_endpoint_auth_method: z.string().max(64).optional(),
  grant_types: z.array(z.string().max(128)).max(20).optional(),
  response_types: z.array(z.string().max(64)).max(20).optional(),
})
export type Description = z.output<typeof Description>

/** RFC 8252 and the client's own domain: no code is sent to a domain that is not the one users are shown. */
export function faultOfRedirects(uris: readonly string[], domain: string | undefined): string | undefined {
  for (const uri of uris) {
    const fault = faultOfRedirect('native', uri)
    if (fault !== undefined) return fault
    const url = new URL(uri)
    if (isOnThisMachine(url) || url.protocol !== 'https:') continue
    if (domain === undefined) return 'Use a loopback address or a scheme like com.example.app:/'
    if (url.host !== domain) return `Use addresses of ${domain}, a loopback address, or a private scheme.`
  }
  return undefined
}
