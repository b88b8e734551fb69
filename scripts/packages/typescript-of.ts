/** The part of JSON Schema that the routes' schemas make. */
export interface JsonSchema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly prefixItems?: readonly JsonSchema[]
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** A schema as a TypeScript type. Throws for an unknown construct, so that nothing is published wrongly. */
export function typescriptOf(schema: JsonSchema): string {
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return union(alternatives.map(typescriptOf))
  if (schema.allOf) return schema.allOf.map((part) => `(${typescriptOf(part)})`).join(' & ')
  // The one schema that refers to itself is any JSON value.
  if (schema.$ref !== undefined) return 'unknown'
  if (typeof schema.type === 'object') return union(schema.type.map((type) => typescriptOf({ ...schema, type })))
  return typeNamed(schema.type, schema)
}

function typeNamed(type: string | undefined, schema: JsonSchema): string {
  if (type === undefined) return 'unknown'
  if (type === 'array') return arrayOf(schema)
  if (type === 'object') return objectOf(schema)
  const plain = PLAIN[type]
  if (plain === undefined) throw new Error(`no type for ${type}`)
  return plain
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function arrayOf({ items, prefixItems }: JsonSchema): string {
  if (prefixItems) return `[${prefixItems.map(typescriptOf).join(', ')}]`
  return `(${typescriptOf(items ?? {})})[]`
}

function objectOf({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?'
    // With `exactOptionalPropertyTypes` callers could not otherwise pass on what they have as undefined.
    const absent = mark && ' | undefined'
    return `${JSON.stringify(name)}${mark}: ${typescriptOf(schema)}${absent}`
  })
  const isRecord = fields.length === 0 && typeof additionalProperties === 'object'
  return isRecord
    ? `Record<string, ${typescriptOf(additionalProperties)}>`
    : `{ ${fields.join('; ')}${fields.length > 0 ? ' ' : ''}}`
}
