import { z } from 'zod'
import { type Issue, invalidInput, Refusal } from '../../rules/refusal.ts'
import type { Exchange } from '../exchange.ts'

/** For a caller whose credential has been checked. */
export const maximumBodyBytes = 1024 * 1024
/** For everybody else: parsing must never block the event loop, and the longest sensible body has 3 KiB. */
export const maximumPublicBodyBytes = 16 * 1024

/** A body that is not used: `{}`, or none at all. */
export const Nothing = z.object({})
/** A response of `{}`. */
export const Done = z.object({})
/** As the clients of Better Auth expect it for an act that has no result. */
export const StatusTrue = z.object({ status: z.literal(true) })

/** The JSON body, or `{}` if there is none. */
export async function readJson(exchange: Exchange, maximumBytes: number): Promise<unknown> {
  const text = await readText(exchange, maximumBytes)
  if (text === '') return {}
  if (!isJson(exchange.header('content-type'))) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw invalidInput('', 'The body is not valid JSON.')
  }
}

export async function readText(exchange: Exchange, maximumBytes: number): Promise<string> {
  const announced = exchange.header('content-length')
  if (Number(announced ?? 0) > maximumBytes) throw tooLarge(maximumBytes)
  // HTTP cuts a body off at its announced length, so there is nothing to count and no stream to build.
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

/** Parsed once, here; the code behind it trusts it. */
export async function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  raw: unknown,
): Promise<z.output<Schema>> {
  const parsed = await schema.safeParseAsync(raw)
  const issues = parsed.success
    ? nulIssues(parsed.data)
    : parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  if (parsed.success && issues.length === 0) return parsed.data
  const first = issues[0]
  const message = first ? `${first.path ? `${first.path}: ` : ''}${first.message}` : 'The input is not valid.'
  throw new Refusal('INVALID_REQUEST', message, { issues })
}

/**
 * PostgreSQL cannot store the character NUL in text. Searched in what the schema let through, not in everything
 * that was sent, and without recursion, as a field of any shape can be nested as deeply as the body is long.
 */
function nulIssues(input: unknown): readonly Issue[] {
  const left: Found[] = [{ path: '', value: input }]
  for (let next = left.pop(); next; next = left.pop()) {
    if (hasNul(next.value)) return [{ path: next.path, message: 'The character NUL is not allowed.' }]
    addFields(left, next)
  }
  return []
}

interface Found {
  readonly path: string
  readonly value: unknown
}

function hasNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0')
}

function addFields(left: Found[], { path, value }: Found): void {
  if (typeof value !== 'object' || value === null) return
  const prefix = path === '' ? '' : `${path}.`
  for (const [key, field] of Object.entries(value)) left.push({ path: prefix + key, value: field })
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')
}

function tooLarge(maximumBytes: number): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The body is larger than ${maximumBytes / 1024} KiB.`)
}
