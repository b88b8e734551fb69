import { z } from 'zod'
import { describedOf, type Route } from '../route.ts'

export interface Schema {
  readonly [key: string]: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

/** The schema of what the route takes or gives, as JSON Schema. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema
}

/** The fields without which the route refuses. */
export function requiredOf(route: Route): readonly string[] {
  const { required = schemaOf(route.input, 'input').required ?? [], credential } = describedOf(route)
  return credential === 'of a client' ? [...required, 'client_id'] : required
}

export function inputSample(route: Route): unknown {
  return sampleOf({ ...schemaOf(route.input, 'input'), required: requiredOf(route) })
}

/** Only the required fields of an input; of an output all. */
export function sampleOf(schema: Schema): unknown {
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
