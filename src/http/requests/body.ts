import { z } from 'zod'
import { type Issue, invalidInput, Refusal } from '../../rules/refusal.ts'
import { unstorableIn } from '../../rules/unstorable.ts'
import type { Exchange } from '../exchange.ts'
import type { Incoming } from '../router.ts'
import { issuesOf, wordsOfUnknown } from './unknown-fields.ts'

/** The limit for a caller whose credential has been checked. */
export const maximumBodyBytes = 64 * 1024
/** The limit for everybody else: parsing must never block the event loop, and the longest sensible body has 3 KiB. */
export const maximumPublicBodyBytes = 16 * 1024

/** A body that is not used: `{}`, or none at all. */
export const Nothing = z.object({})
/** A response of `{}`. */
export const Done = z.object({})
/** The form the clients of Better Auth expect for an act without a result. */
export const StatusTrue = z.object({ status: z.literal(true) })

/** The JSON body, or `{}` if there is none. */
export async function readJson(exchange: Exchange, maximumBytes: number): Promise<unknown> {
  const text = await readText(exchange, maximumBytes)
  if (text === '') return {}
  if (!isJson(exchange.header('content-type'))) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.')
  }
  refuseUnreasonable(text)
  try {
    return JSON.parse(text)
  } catch {
    throw invalidInput('', 'The body is not valid JSON.')
  }
}

const MOST_LEVELS = 32
const MOST_KEYS = 2_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPENING = [0x5b, 0x7b]
const CLOSING = [0x5d, 0x7d]

/** One pass over the text, before anything is built: the parsed value takes many times the size and the time. */
function refuseUnreasonable(text: string): void {
  let levels = 0
  let keys = 0
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i)
    if (character === QUOTE) i = endOfString(text, i)
    else if (OPENING.includes(character)) levels++
    else if (CLOSING.includes(character)) levels--
    else if (character === COLON) keys++
    if (levels > MOST_LEVELS) throw invalidInput('', `The body is nested deeper than ${MOST_LEVELS} levels.`)
    if (keys > MOST_KEYS) throw invalidInput('', `The body has more than ${MOST_KEYS} fields.`)
  }
}

function endOfString(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1
  return i
}

/**
 * Reads the body only for whom `find` lets through. If it was not here by then, `find` is asked once more: in the time
 * that a body may take, a session can end and a member can leave the staff.
 */
export async function withBody<Found, Body>(
  exchange: Exchange,
  find: () => Promise<Found>,
  read: (found: Found) => Promise<Body> | Body,
): Promise<readonly [Found, Body]> {
  const found = await find()
  const isWhole = isHere(exchange)
  const body = await read(found)
  return [isWhole ? found : await find(), body]
}

function isHere(exchange: Exchange): boolean {
  const { readableEnded, readableLength } = exchange.incoming
  if (readableEnded) return true
  const isInChunks = exchange.header('transfer-encoding') !== undefined
  return !isInChunks && readableLength >= Number(exchange.header('content-length') ?? 0)
}

/** A client that disconnects mid-body, or sends a body that is not UTF-8, is at fault itself. */
export async function readText(exchange: Exchange, maximumBytes: number): Promise<string> {
  if (!/^(identity)?$/i.test(exchange.header('content-encoding') ?? ''))
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the body without Content-Encoding.')
  const announced = exchange.header('content-length')
  if (Number(announced ?? 0) > maximumBytes) throw tooLarge(maximumBytes)
  const { incoming } = exchange
  return incoming.readableEnded ? '' : decoded(await bytesOf(incoming, maximumBytes))
}

/** Reads no further than the limit. The server drops the rest once the response is sent. */
function bytesOf(incoming: Incoming, maximumBytes: number): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const chunks: Buffer[] = []
  let bytes = 0
  const refuseHalf = (cause?: unknown) => reject(new Refusal('INVALID_REQUEST', 'The body is incomplete.', { cause }))
  // The client left earlier: no event follows.
  if (incoming.destroyed) refuseHalf()
  const take = (chunk: Buffer) => {
    bytes += chunk.length
    chunks.push(chunk)
    if (bytes <= maximumBytes) return
    incoming.off('data', take).pause()
    reject(tooLarge(maximumBytes))
  }
  incoming.on('data', take)
  incoming.once('end', () => {
    resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    // Every request ends with it, and a refusal that nobody needs costs more than reading the body.
    incoming.off('close', refuseHalf)
  })
  incoming.once('error', refuseHalf)
  incoming.once('close', refuseHalf)
  return promise
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new Refusal('INVALID_REQUEST', 'The body is not valid UTF-8.', { cause })
  }
}

/**
 * Parsed once, here; the code behind it trusts it. Text that no store would keep is refused even in fields that are
 * dropped.
 */
export async function parseInput<Schema extends z.ZodType>(schema: Schema, raw: unknown): Promise<z.output<Schema>> {
  const unstorable = unstorableIn(raw)
  if (unstorable.length > 0) throw invalid(unstorable)
  const parsed = await schema.safeParseAsync(raw, { error: wordsOfUnknown })
  if (parsed.success) return parsed.data
  throw invalid(parsed.error.issues.flatMap(issuesOf))
}

function invalid(issues: readonly Issue[]): Refusal {
  const [first] = issues
  const message = first ? `${first.path ? `${first.path}: ` : ''}${first.message}` : 'The input is not valid.'
  return new Refusal('INVALID_REQUEST', message, { issues })
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '')
}

function tooLarge(maximumBytes: number): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The body is larger than ${maximumBytes / 1024} KiB.`)
}
