import { z } from 'zod'
import { Refusal } from '../rules/refusal.ts'
import type { Exchange } from './exchange.ts'

export const maximumBodyBytes = 1024 * 1024

/** A body of no interest: `{}`, or none at all. */
export const Nothing = z.object({})
/** An answer of `{}`. */
export const Done = z.object({})

/** The JSON body, or `{}` where there is none. */
export async function readJson(exchange: Exchange): Promise<unknown> {
  const text = await readText(exchange)
  if (text === '') return {}
  if (!isJson(exchange.header('content-type'))) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.')
  }
  try {
    return parsed(text)
  } catch {
    throw new Refusal('INVALID_REQUEST', 'The body is not valid JSON.')
  }
}

export async function readText(exchange: Exchange, maximumBytes = maximumBodyBytes): Promise<string> {
  const announced = exchange.header('content-length')
  if (Number(announced ?? 0) > maximumBytes) throw tooLarge(maximumBytes)
  // HTTP cuts a body at its announced length, so there is nothing to count, and no stream to build.
  if (announced !== undefined) return exchange.request.text()
  const { body } = exchange.request
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > maximumBytes) throw tooLarge(maximumBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Parsed once, here; inside, trust it. */
export async function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  raw: unknown,
): Promise<z.output<Schema>> {
  const parsed = await schema.safeParseAsync(raw)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  const first = issues[0]
  const message = first ? `${first.path ? `${first.path}: ` : ''}${first.message}` : 'The input is not valid.'
  throw new Refusal('INVALID_REQUEST', message, { issues })
}

/** PostgreSQL cannot store the character NUL in text, so nobody may send it. */
function parsed(text: string): unknown {
  if (!text.includes('\\u0000')) return JSON.parse(text)
  return JSON.parse(text, (key, value: unknown) => {
    if (key.includes('\0') || (typeof value === 'string' && value.includes('\0')))
      throw new Error('NUL in text')
    return value
  })
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')
}

function tooLarge(maximumBytes: number): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The body is larger than ${maximumBytes / 1024} KiB.`)
}
