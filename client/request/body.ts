import { usage } from '../terminal/failure.ts'
import { type Io, readStdin } from '../terminal/io.ts'
import { parseJson } from '../terminal/json.ts'
import { type ApiCall, isRead } from './arguments.ts'
import { readContentFile, textOf } from './content-file.ts'
import { objectOf, readsStdin } from './fields.ts'

/** Bytes ready to send, so that every page and every repetition sends the same. */
export interface Content {
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
  readonly query: Readonly<Record<string, string>>
}

export async function readContent(io: Io, call: ApiCall): Promise<Content> {
  if (call.fields.length > 0) {
    const stdin = readsStdin(call.fields) ? textOf(await readStdin(io), 'standard input') : ''
    const object = await objectOf(io, call.fields, stdin)
    return isRead(call.method)
      ? { body: undefined, query: queryOf(object) }
      : { body: JSON.stringify(object), query: {} }
  }
  return { body: await readBody(io, call), query: {} }
}

async function readBody(io: Io, { method, body, input }: ApiCall): Promise<Content['body']> {
  if (body !== undefined) return checkedJson(body)
  if (input === '-') return new Uint8Array(await readStdin(io))
  if (input !== undefined) return new Uint8Array(await readContentFile(io, input))
  // Every operation of the service takes a JSON object; leaving it out means the empty one.
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? '{}' : undefined
}

function checkedJson(text: string): string {
  if (parseJson(text) === undefined) throw usage('the body is not JSON; use --input for other content')
  return text
}

function queryOf(object: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => {
      if (typeof value === 'object' && value !== null) throw usage(`field "${key}" is nested; a query is flat`)
      return [key, String(value)]
    }),
  )
}
