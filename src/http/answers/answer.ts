import type { Code } from '../../rules/refusal.ts'
import type { OpenBody } from './open-response.ts'

/** Returned by a handler whose answer is not JSON with status 200. */
export class Answer {
  readonly body: string | Uint8Array<ArrayBuffer> | OpenBody | null
  readonly status: number
  /** Added to the headers of every response, or replacing them. */
  readonly headers: Readonly<Record<string, string>>
  /** Set for a refusal. */
  readonly code: Code | undefined

  constructor(body: Answer['body'], status: number, headers: Answer['headers'], code?: Code) {
    this.body = body
    this.status = status
    this.headers = headers
    this.code = code
  }
}

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }
const TEXT_HEADERS = { 'content-type': 'text/plain; charset=UTF-8', 'cache-control': 'no-store' }

/** An act without a result is answered with `{}`. */
export function json(value: unknown = {}, status = 200, code?: Code): Answer {
  return new Answer(JSON.stringify(value), status, JSON_HEADERS, code)
}

export function text(body: string): Answer {
  return new Answer(body, 200, TEXT_HEADERS)
}

export function redirect(location: string): Answer {
  return new Answer(null, 302, { location, 'cache-control': 'no-store' })
}
