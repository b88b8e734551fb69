import { usage } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import { readContentFile, textOf } from './content-file.ts'

/** One `-f key=value` (text) or `-F key=value` (typed), as it was written. */
export interface Field {
  readonly text: string
  readonly typed: boolean
}

type Tree = { [key: string]: unknown }

/** `a=1`, `a[b]=1` and `a[]=1` make one object, as in gh. */
export async function objectOf(io: Io, fields: readonly Field[], stdin: string): Promise<Tree> {
  const object = emptyTree()
  for (const { text, typed } of fields) {
    const { path, value } = parseField(text)
    place(object, path, typed ? await typedValue(io, value, stdin) : value)
  }
  return object
}

export function readsStdin(fields: readonly Field[]): boolean {
  return fields.some(({ text, typed }) => typed && text.endsWith('=@-'))
}

function parseField(text: string): { path: string[]; value: string } {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (!/^[^[\]]+(\[[^[\]]+\])*(\[\])?$/.test(key))
    throw usage(`"${text}" is not a field; write key=value, key[sub]=value or key[]=value`)

  const path = key.split('[').map((part) => part.replace(/\]$/, ''))
  return { path, value }
}

async function typedValue(io: Io, text: string, stdin: string): Promise<unknown> {
  if (text === 'true' || text === 'false' || text === 'null') return JSON.parse(text)
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return exactNumber(text)
  if (text === '@-') return stdin
  if (!text.startsWith('@')) return text
  const file = text.slice(1)
  return textOf(await readContentFile(io, file), file)
}

function exactNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw usage(`${text} is too large to send exactly; use -f for text`)
  return number
}

function place(tree: Tree, path: readonly string[], value: unknown): void {
  const [key = '', next, ...rest] = path
  if (next === undefined) tree[key] = value
  else if (next === '') tree[key] = [...listAt(tree, key), value]
  else place(treeAt(tree, key), [next, ...rest], value)
}

function listAt(tree: Tree, key: string): unknown[] {
  const found = tree[key] ?? []
  if (!Array.isArray(found)) throw usage(`field "${key}" is both a list and something else`)
  return found
}

function treeAt(tree: Tree, key: string): Tree {
  const found = tree[key] ?? emptyTree()
  if (!isTree(found)) throw usage(`field "${key}" is both an object and something else`)
  tree[key] = found
  return found
}

/** Has no prototype, so that a field named `__proto__` is a field. */
function emptyTree(): Tree {
  return Object.create(null)
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
