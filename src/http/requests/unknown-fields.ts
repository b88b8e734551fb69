import { z } from 'zod'
import { guessFor } from '../../rules/misspelling.ts'
import type { Issue } from '../../rules/refusal.ts'

/**
 * The same schema, but its objects refuse the fields that they do not declare, at any depth: a misspelt switch must not
 * look saved. Those of `z.looseObject` or with a `catchall` keep them.
 */
export function closed<Schema extends z.ZodType>(schema: Schema): Schema {
  return closedAtAnyDepth(schema) as Schema
}

function closedAtAnyDepth(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def as z.core.$ZodTypeDef & Children
  const changed: Children = {}
  if (def.shape) {
    changed.shape = mapped(def.shape)
    changed.catchall = def.catchall ?? z.never()
  }
  if (def.options) changed.options = def.options.map(closedAtAnyDepth)
  for (const name of ['innerType', 'element', 'valueType', 'in', 'out'] as const) {
    const child = def[name]
    if (child) changed[name] = closedAtAnyDepth(child)
  }
  if (Object.keys(changed).length === 0) return schema
  return z.core.clone(schema, { ...def, ...changed }, { parent: true })
}

/** The other places where zod's definitions hold schemas. */
interface Children {
  shape?: Readonly<Record<string, z.core.$ZodType>>
  catchall?: z.core.$ZodType
  options?: readonly z.core.$ZodType[]
  innerType?: z.core.$ZodType
  element?: z.core.$ZodType
  valueType?: z.core.$ZodType
  in?: z.core.$ZodType
  out?: z.core.$ZodType
}

function mapped(shape: Readonly<Record<string, z.core.$ZodType>>) {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, closedAtAnyDepth(field)]))
}

/** A longer list would help nobody, and each field is compared with all names. */
const MOST_NAMED = 10

/** One line for each unknown field of an object. Everything else is described by zod. */
export function wordsOfUnknown(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined
  const { shape = {} } = (issue.inst as z.core.$ZodType)._zod.def as Children
  return issue.keys
    .slice(0, MOST_NAMED)
    .map(wordsFor(Object.keys(shape)))
    .join('\n')
}

const wordsFor = (names: readonly string[]) => (key: string) => {
  const guess = guessFor(key, names)
  return guess === undefined ? 'This field does not exist.' : `This field does not exist; did you mean ${guess}?`
}

/** A union's issues are those of the object that fits best, and an invalid name says what its own rule says. */
export function issuesOf(issue: z.core.$ZodIssue): readonly Issue[] {
  if (issue.code === 'unrecognized_keys') {
    const words = issue.message.split('\n')
    return words.map((message, i) => ({ path: [...issue.path, issue.keys[i]].join('.'), message }))
  }
  const [nearest] = issue.code === 'invalid_union' ? issue.errors.toSorted((a, b) => a.length - b.length) : []
  if (nearest?.some(({ code }) => code === 'unrecognized_keys'))
    return nearest.flatMap((inner) => issuesOf({ ...inner, path: [...issue.path, ...inner.path] }))
  const [rule = issue] = issue.code === 'invalid_key' ? issue.issues : []
  return [{ path: issue.path.join('.'), message: rule.message }]
}
