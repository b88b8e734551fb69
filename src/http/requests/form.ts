import { oauthRefusal } from '../../rules/refusal.ts'
import type { Exchange } from '../exchange.ts'
import type { Route } from '../route.ts'
import { maximumPublicBodyBytes, readText } from './body.ts'

export function takesForm(route: Route): boolean {
  return route.access === 'public' && route.body === 'form'
}

/** The input is in the address, whatever body is sent. */
export function takesQuery(route: Route): boolean {
  return route.method === 'GET' || (route.access === 'public' && route.body === 'ignored')
}

export function refusesAsOAuth(route: Route): boolean {
  return takesForm(route) || (route.access === 'public' && route.refusals === 'of OAuth')
}

/** RFC 6749 section 3.2: an empty parameter counts as absent, and a repeated one is refused. */
export async function readForm(exchange: Exchange): Promise<Readonly<Record<string, string>>> {
  const contentType = exchange.header('content-type')
  if (contentType === undefined && (exchange.header('content-length') ?? '0') === '0') return {}
  if (!isForm(contentType)) {
    throw oauthRefusal('invalid_request', 'Send the body as application/x-www-form-urlencoded.')
  }
  const form: Record<string, string> = Object.create(null)
  const seen = new Set<string>()
  const text = await readText(exchange, maximumPublicBodyBytes)
  for (const [name, value] of new URLSearchParams(text)) {
    if (seen.has(name)) throw oauthRefusal('invalid_request', 'A parameter is sent more than once.')
    seen.add(name)
    if (value !== '') form[name] = value
  }
  if (hasOtherThanText(text, form)) throw oauthRefusal('invalid_request', 'A parameter is not valid UTF-8.')
  return form
}

/** Percent-encoded bytes that are not UTF-8, such as a lone surrogate, are read as U+FFFD. */
function hasOtherThanText(text: string, form: Readonly<Record<string, string>>): boolean {
  if (!Object.values(form).some((value) => value.includes('\ufffd'))) return false
  try {
    decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'))
    return false
  } catch {
    return true
  }
}

function isForm(contentType: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '')
}
