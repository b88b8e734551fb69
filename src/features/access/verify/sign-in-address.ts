import type { Exchange } from '../../../http/exchange.ts'
import type { Call } from '../../../http/route.ts'
import { returnOrigins } from '../../ground/settings/brand/brand.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'

/**
 * The sign-in page, which returns to the requested page. Proxies such as Caddy and Traefik pass this response on to the
 * browser. Undefined for a program, which needs a 401.
 */
export async function signInAddress({ platform, exchange }: Call): Promise<string | undefined> {
  if (!asksForPage(exchange)) return undefined
  const { config } = platform
  const origins = [config.baseUrl, ...returnOrigins(config, await currentSettings(platform))]
  const asked = addressAsked(exchange)
  const signIn = `${config.baseUrl}/sign-in`
  return asked && origins.includes(asked.origin)
    ? `${signIn}?${new URLSearchParams({ return_to: asked.href })}`
    : signIn
}

function asksForPage(exchange: Exchange): boolean {
  const method = exchange.header('x-forwarded-method') ?? 'GET'
  return method === 'GET' && /\btext\/html\b/.test(exchange.header('accept') ?? '')
}

/** Forging these gains nothing, because only allowed addresses are accepted. */
function addressAsked(exchange: Exchange): URL | undefined {
  const [protocol, host, path] = ['x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-uri'].map(
    (name) => exchange.header(name) ?? '',
  )
  return (path?.startsWith('/') && URL.parse(`${protocol}://${host}${path}`)) || undefined
}
