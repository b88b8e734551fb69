import { z } from 'zod'
import { takesForm, takesQuery } from '../requests/form.ts'
import { describedOf, type Route } from '../route.ts'

interface Schema {
  readonly [key: string]: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly items?: Schema
}

/**
 * The command that calls the route, with its required fields; `$TOKEN` is the caller's token, `$CLIENT_ID` and
 * `$CLIENT_SECRET` are an application's.
 */
export function curlOf(route: Route, baseUrl: string): string {
  const { credential } = describedOf(route)
  const input = inputOf(route)
  const url = `'${baseUrl}${route.path}${takesQuery(route) ? queryOf(input) : ''}'`
  const parts = [`curl ${url}`]
  if (route.access !== 'public' || credential === 'required') parts.push(`-H "authorization: Bearer $TOKEN"`)
  if (credential === 'of an application') parts.push('-u "$CLIENT_ID:$CLIENT_SECRET"')
  if (!takesQuery(route)) parts.push(...bodyOf(route, input))
  else if (route.method === 'POST') parts.push('-X POST')
  return parts.join(' \\\n  ')
}

function inputOf(route: Route): unknown {
  const schema = z.toJSONSchema(route.input, { io: 'input', unrepresentable: 'any' }) as Schema
  const { required = schema.required ?? [], credential } = describedOf(route)
  return sampleOf({
    ...schema,
    required: credential === 'of a client' ? [...required, 'client_id'] : required,
  })
}

function bodyOf(route: Route, input: unknown): readonly string[] {
  if (takesForm(route)) return [`-d '${queryOf(input).slice(1)}'`]
  return [`-H 'content-type: application/json'`, `-d '${JSON.stringify(input).replaceAll("'", '')}'`]
}

function queryOf(input: unknown): string {
  const fields = Object.entries(input ?? {}).map(([name, value]): [string, string] => [name, String(value)])
  return fields.length > 0 ? `?${new URLSearchParams(fields)}` : ''
}

/** Only the required fields; the schemas below have the rest. */
function sampleOf(schema: Schema): unknown {
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return sampleOf(schema.anyOf[0] ?? {})
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  return (SAMPLES[String(type)] ?? textOf)(schema)
}

const SAMPLES: Readonly<Record<string, (schema: Schema) => unknown>> = {
  object: objectOf,
  array: ({ items }) => [sampleOf(items ?? {})],
  integer: numberOf,
  number: numberOf,
  boolean: () => true,
}

function numberOf({ minimum }: Schema): number {
  return Math.max(1, Number(minimum ?? 1))
}

function objectOf({ properties = {}, required = [] }: Schema): object {
  const fields = required.map((name) => [name, sampleOf(properties[name] ?? {})])
  return Object.fromEntries(fields)
}

function textOf({ format, minLength }: Schema): string {
  if (format === 'email') return 'ann@example.com'
  if (format === 'uri') return 'https://app.example.com/'
  return 'text'.padEnd(Number(minLength ?? 0), '.')
}
