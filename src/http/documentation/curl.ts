import { takesForm, takesQuery } from '../requests/form.ts'
import { describedOf, type Route } from '../route.ts'
import { inputSample } from './samples.ts'

/**
 * The command that calls the route, with its required fields; `$TOKEN` is the caller's token, `$CLIENT_ID` and
 * `$CLIENT_SECRET` are an application's.
 */
export function curlOf(route: Route, baseUrl: string): string {
  const { credential } = describedOf(route)
  const input = inputSample(route)
  const url = `'${baseUrl}${route.path}${takesQuery(route) ? queryOf(input) : ''}'`
  const parts = [`curl ${url}`]
  if (route.access !== 'public' || credential === 'required') parts.push(`-H "authorization: Bearer $TOKEN"`)
  if (credential === 'of an application') parts.push('-u "$CLIENT_ID:$CLIENT_SECRET"')
  if (!takesQuery(route)) parts.push(...bodyOf(route, input))
  else if (route.method === 'POST') parts.push('-X POST')
  return parts.join(' \\\n  ')
}

function bodyOf(route: Route, input: unknown): readonly string[] {
  if (takesForm(route)) return [`-d '${queryOf(input).slice(1)}'`]
  return [`-H 'content-type: application/json'`, `-d '${JSON.stringify(input).replaceAll("'", '')}'`]
}

export function queryOf(input: unknown): string {
  const fields = Object.entries(input ?? {}).map(([name, value]): [string, string] => [name, String(value)])
  return fields.length > 0 ? `?${new URLSearchParams(fields)}` : ''
}
