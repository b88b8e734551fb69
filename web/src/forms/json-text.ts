import * as z from 'zod/mini'
import type { Texts } from '../texts/en.ts'

export type JsonObject = Readonly<Record<string, unknown>>

type Kind = keyof Texts['json']['problems'] & string

/** What is wrong with a text, and in which line. */
class Wrong extends Error {
  readonly kind: Kind
  readonly line: number

  constructor(kind: Kind, line: number) {
    super(kind)
    this.kind = kind
    this.line = line
  }
}

const token =
  /[{}[\],:]|"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-f]{4})*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null/iuy
const space = /[ \t\r\n]*/y
const mostLevels = 16
const mostBytes = 8 * 1024

/** Reads as the service does, and finds the line of what it would refuse. */
class Reader {
  /** Where each value begins, by its path. */
  readonly places = new Map<string, number>()
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  whole(): JsonObject {
    if (this.#peek() !== '{') this.#fail('object')
    const value = this.#object([])
    if (this.#peek() !== undefined) this.#fail('end')
    if (new TextEncoder().encode(JSON.stringify(value)).length > mostBytes) this.#fail('size')
    return value
  }

  #value(path: readonly string[]): unknown {
    const found = this.#peek()
    this.places.set(path.join('.'), this.#at)
    if (found === '{') return this.#object(path)
    if (found === '[') return this.#list(path)
    if (found === undefined || /^[\]},:]/.test(found)) return this.#fail('value')
    const value: unknown = JSON.parse(found)
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) this.#fail('number')
    if (typeof value === 'string') this.#refuseUnstorable(value)
    this.#at += found.length
    return value
  }

  #object(path: readonly string[]): JsonObject {
    const fields = new Map<string, unknown>()
    this.#each('}', path, (first) => {
      if (!first?.startsWith('"')) return this.#fail('name')
      const name: string = JSON.parse(first)
      if (fields.has(name)) this.#fail('twice')
      if (name === '__proto__') this.#fail('proto')
      this.#refuseUnstorable(name)
      this.#at += first.length
      if (this.#peek() !== ':') this.#fail('colon')
      this.#at++
      fields.set(name, this.#value([...path, name]))
    })
    return Object.fromEntries(fields)
  }

  #list(path: readonly string[]): readonly unknown[] {
    const items: unknown[] = []
    this.#each(']', path, () => items.push(this.#value([...path, String(items.length)])))
    return items
  }

  #each(end: string, path: readonly string[], read: (first: string | undefined) => void): void {
    if (path.length >= mostLevels) this.#fail('deep')
    this.#at++
    for (let first = this.#peek(); first !== end; first = this.#peek()) {
      read(first)
      const after = this.#peek()
      if (after === end) break
      if (after !== ',') this.#fail('comma')
      this.#at++
      if (this.#peek() === end) this.#fail(end === '}' ? 'name' : 'value')
    }
    this.#at++
  }

  #peek(): string | undefined {
    space.lastIndex = this.#at
    this.#at += space.exec(this.#text)?.[0].length ?? 0
    if (this.#at === this.#text.length) return undefined
    token.lastIndex = this.#at
    return token.exec(this.#text)?.[0] ?? this.#fail('value')
  }

  #refuseUnstorable(text: string): void {
    if (text.includes('\0') || !text.isWellFormed()) this.#fail('sign')
  }

  #fail(kind: Kind): never {
    throw new Wrong(kind, lineAt(this.#text, this.#at))
  }
}

const lineAt = (text: string, at: number) => text.slice(0, at).split('\n').length

/** The line of the value at the path, or of the nearest that the text has; the first if it cannot be read. */
export function lineOf(text: string, path: string): number {
  const reader = new Reader(text)
  try {
    reader.whole()
  } catch (error) {
    if (!(error instanceof Wrong)) throw error
  }
  const names = path.split('.')
  const at = names.map((_, i) => reader.places.get(names.slice(0, names.length - i).join('.'))).find((found) => found)
  return lineAt(text, at ?? 0)
}

/** A text that is an object in JSON; nothing stands for an empty one. */
export const jsonObject = ({ problems, line }: Texts['json']) =>
  z.pipe(
    z.string(),
    z.transform((typed: string, context): JsonObject => {
      try {
        return new Reader(typed.trim() === '' ? '{}' : typed).whole()
      } catch (error) {
        if (!(error instanceof Wrong)) throw error
        const message = error.kind === 'size' ? problems.size : line(error.line, problems[error.kind])
        context.issues.push({ code: 'custom', message, input: typed })
        return z.NEVER
      }
    }),
  )

export const asText = (value: object) => JSON.stringify(value, null, 2)

/** A text with what it was made from, so that a save sends what was changed in it and nothing else. */
export interface Edited {
  readonly text: string
  readonly of: JsonObject
  readonly version: number
}

export const editedOf = (data: JsonObject, version: number): Edited => ({ text: asText(data), of: data, version })

/** What was changed in a text. */
export const changeIn = (words: Texts['json']) =>
  z.pipe(
    z.custom<Edited>(),
    z.transform(({ text, of, version }: Edited, context) => {
      const read = z.safeParse(jsonObject(words), text)
      if (read.success) return { patch: patchBetween(of, read.data), version }
      for (const { message } of read.error.issues) context.issues.push({ code: 'custom', message, input: text })
      return z.NEVER
    }),
  )

/** RFC 7396: the patch that makes one object the other. A null that is not in both removes its field. */
function patchBetween(before: JsonObject, after: JsonObject): JsonObject {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const differing = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(
    differing.map((name) => {
      const [was, is] = [before[name], after[name]]
      return [name, isObject(was) && isObject(is) ? patchBetween(was, is) : (is ?? null)]
    }),
  )
}

export function patched(target: JsonObject, patch: JsonObject): JsonObject {
  const fields = new Map(Object.entries(target))
  for (const [name, value] of Object.entries(patch)) {
    const was = fields.get(name)
    if (value === null) fields.delete(name)
    else fields.set(name, isObject(value) ? patched(isObject(was) ? was : {}, value) : value)
  }
  return Object.fromEntries(fields)
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
