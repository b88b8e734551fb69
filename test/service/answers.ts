import assert from 'node:assert/strict'
import { type Code, STATUS } from '../../src/rules/refusal.ts'
import type { Answer } from './people.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
type Any = any

/** With the status of its code and, if a field is to blame, its path. */
export function assertRefused(
  { status, body }: Pick<Answer<Any>, 'status' | 'body'>,
  code: Code,
  field?: string,
): void {
  const blamed = field === undefined ? undefined : body.issues?.[0].path
  assert.deepEqual([status, body.code, blamed], [STATUS[code], code, field])
}

/** The same field of every item that a list answers. */
export function eachOf({ body }: Pick<Answer<Any>, 'body'>, field: string): readonly Any[] {
  return body.items.map((item: Any) => item[field])
}
