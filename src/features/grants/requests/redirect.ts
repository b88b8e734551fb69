import type { Call } from '../../../http/route.ts'

/** Back to the client, with the state as it came and the issuer (RFC 9207). */
export function redirectTo(
  call: Call,
  redirectUri: string,
  state: string | null | undefined,
  parameters: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  if (state) url.searchParams.set('state', state)
  url.searchParams.set('iss', call.platform.config.baseUrl)
  return url.href
}
