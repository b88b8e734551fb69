import assert from 'node:assert/strict'
import { type Code, STATUS } from '../../src/rules/refusal.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
type Any = any

interface Answered {
  readonly status: number
  readonly body: Any
}

/** Has the status of its code and, if a field is to blame, its path. */
export function assertRefused({ status, body }: Answered, code: Code, field?: string): void {
  const blamed = field === undefined ? undefined : body.issues?.[0].path
  assert.deepEqual([status, body.code, blamed], [STATUS[code], code, field])
}

/** The same field of every item that a list answers. */
export function eachOf({ body }: Pick<Answered, 'body'>, field: string): readonly Any[] {
  return body.items.map((item: Any) => item[field])
}

export const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status)

/** The status and code of a refusal by this API. */
export const refusal = ({ status, body }: Answered): [number, string] => [status, body.code]

/** The status and error of a refusal by an endpoint of OAuth. */
export const oauthError = ({ status, body }: Answered): [number, string] => [status, body.error]
