import { z } from 'zod'
import type { Issue } from './refusal.ts'

const MOST_LEVELS = 16

/** What JSON can say and JavaScript reads back; a body has nothing else. */
export const JsonValue = checked(z.unknown().refine((value) => value !== undefined, 'A value is missing.'))

export type JsonObject = Readonly<Record<string, unknown>>

/** An object of the sender's choice that reads back as it was sent: what JSON or JavaScript would change is refused. */
export const JsonObject = checked(z.record(z.string(), z.unknown()))

function checked<Schema extends z.ZodType>(schema: Schema) {
  const piped = z.preprocess((sent, context) => {
    for (const { path, message } of faultsIn(sent, [], 1))
      context.issues.push({ code: 'custom', path: [...path], message, input: sent })
    return sent
  }, schema)
  // The pipe takes what the schema takes; for the compiler it takes anything.
  return piped as unknown as z.ZodType<z.output<Schema>, z.input<Schema>>
}

interface Fault extends Pick<Issue, 'message'> {
  readonly path: readonly string[]
}

function faultsIn(value: unknown, path: readonly string[], level: number): readonly Fault[] {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return [{ path, message: `A number beyond ${Number.MAX_SAFE_INTEGER} loses digits. Send it as text.` }]
  if (typeof value !== 'object' || value === null) return []
  if (level > MOST_LEVELS) return [{ path, message: `This is nested deeper than ${MOST_LEVELS} levels.` }]
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '__proto__'
      ? [{ path: [...path, name], message: 'A field cannot have this name.' }]
      : faultsIn(inner, [...path, name], level + 1),
  )
}

/** RFC 7396: null removes a field, objects are merged at any depth, everything else is replaced. */
export function merged(target: unknown, patch: JsonObject): JsonObject {
  const fields = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) fields.delete(name)
    else fields.set(name, isObject(value) ? merged(fields.get(name), value) : value)
  }
  return Object.fromEntries(fields)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
