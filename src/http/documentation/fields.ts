import type { Schema } from './samples.ts'

export interface Field {
  /** With the path that leads to it, such as `items[].id`. */
  readonly name: string
  /** Its type and its bounds in words. */
  readonly type: string
  readonly isRequired: boolean
}

const DEEPEST = 4

/** The fields of a schema, one below the other, with those of its parts after each. */
export function fieldsOf(schema: Schema, required = schema.required ?? [], path = '', depth = 0): readonly Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isRequired = required.includes(name)
    const whole = `${path}${name}`
    const { part, prefix } = partOf(field, whole)
    const inner = part && depth < DEEPEST ? fieldsOf(part, part.required ?? [], prefix, depth + 1) : []
    return [{ name: whole, type: typeOf(field), isRequired }, ...inner]
  })
}

/** The object inside a field: itself, or an element of its list. */
function partOf(field: Schema, name: string): { readonly part?: Schema; readonly prefix: string } {
  const known = field.anyOf?.find(({ type }) => type === 'object' || type === 'array') ?? field
  if (known.properties) return { part: known, prefix: `${name}.` }
  if (known.items?.properties) return { part: known.items, prefix: `${name}[].` }
  return { prefix: '' }
}

function typeOf(field: Schema): string {
  if ('const' in field) return JSON.stringify(field.const)
  if (field.enum) return field.enum.map((one) => JSON.stringify(one)).join(' | ')
  if (field.anyOf) return [...new Set(field.anyOf.map(typeOf))].join(' | ')
  const type = Array.isArray(field.type) ? field.type.join(' | ') : (field.type ?? 'any')
  if (type === 'array') return listOf(field.items ? typeOf(field.items) : 'any')
  const bounds = boundsOf(field)
  return [type, field.format && `(${field.format})`, bounds].filter(Boolean).join(' ')
}

const listOf = (type: string) => (type.includes(' ') ? `(${type})[]` : `${type}[]`)

function boundsOf({ minimum, maximum, minLength, maxLength }: Schema): string {
  const [least, most] = [minimum ?? minLength, maximum ?? maxLength]
  const isOpen = most === undefined || most === Number.MAX_SAFE_INTEGER
  if (isOpen) return least === undefined || least === Number.MIN_SAFE_INTEGER ? '' : `${least}…`
  return `${least === undefined || least === Number.MIN_SAFE_INTEGER ? '' : least}…${most}`
}
