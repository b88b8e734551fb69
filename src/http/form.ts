import type { Context } from 'hono'
import { readText } from './body.ts'
import { oauthRefusal } from './refusal.ts'
import type { Route } from './route.ts'

const maximumFormBytes = 64 * 1024

export function takesForm(route: Route): boolean {
  return route.access === 'public' && route.body === 'form'
}

export function formPaths(routes: readonly Route[]): ReadonlySet<string> {
  return new Set(routes.filter(takesForm).map(({ path }) => path))
}

/** From here on this request is refused in the RFC's shape. */
export function answerAsOAuth(context: Context): void {
  context.set('answersAsOAuth', true)
}

export function answersAsOAuth(context: Context): boolean {
  return context.get('answersAsOAuth') === true
}

/** RFC 6749 section 3.2: an empty parameter counts as absent, one that is sent twice is refused. */
export async function readForm(context: Context): Promise<Readonly<Record<string, string>>> {
  if (!isForm(context.req.header('content-type'))) {
    throw oauthRefusal('invalid_request', 'Send the body as application/x-www-form-urlencoded.')
  }
  const form: Record<string, string> = Object.create(null)
  const seen = new Set<string>()
  for (const [name, value] of new URLSearchParams(await readText(context, maximumFormBytes))) {
    if (seen.has(name)) throw oauthRefusal('invalid_request', 'A parameter is sent more than once.')
    seen.add(name)
    if (value !== '') form[name] = value
  }
  return form
}

function isForm(contentType: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '')
}
