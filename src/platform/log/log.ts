import { type DestinationStream, destination, pino, stdSerializers } from 'pino'
import type { Config } from '../../config/config.ts'
import { currentRequestId } from '../../database/current-request.ts'
import { escaped, forTerminal, onOneLine } from '../../rules/one-line.ts'
import { currentSpan, type Span } from '../traces/traces.ts'

/** An error is always `error`: that name is written with its stack and its causes. */
type Fields = Readonly<Record<string, unknown>> & { readonly err?: never }

/** Structured lines. They never contain secrets, tokens, codes or passwords. */
export interface Log {
  debug(fields: Fields, message: string): void
  info(fields: Fields, message: string): void
  warn(fields: Fields, message: string): void
  error(fields: Fields, message: string): void
  /** The same log, with these fields in each line. */
  child(fields: Fields): Log
}

const STANDARD_ERROR = 2
const MOST_WAITING_BYTES = 256 * 1024
const DEEPEST = 6
const SECRET =
  /pass(word|phrase)|secret|token|otp|cookie|authorization|api_?key|encryption_?key|verifier|(user|device|beta|verification)_?code/i

/** Writes to standard error: standard output belongs to what a command prints. */
export async function openLog(
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  output: DestinationStream = standardError(),
): Promise<Log> {
  const log: Log = pino(
    {
      level: config.logLevel,
      base: null,
      mixin: () => ({ ...requestOf(currentRequestId()), ...traceOf(currentSpan()) }),
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }), log: withoutSecrets },
      serializers: { error: stdSerializers.errWithCause },
    },
    config.logFormat === 'pretty' ? await pretty(output) : { write: (line) => output.write(escaped(line)) },
  )
  return log
}

/** The service keeps running if the log's disk is full: lines wait for room, and the newest are dropped. */
function standardError(): DestinationStream {
  const output = destination({ fd: STANDARD_ERROR, sync: true, maxLength: MOST_WAITING_BYTES })
  output.on('error', () => undefined)
  return output
}

/** Readable output for a terminal, loaded only for that. */
async function pretty(destination: DestinationStream): Promise<DestinationStream> {
  const { build } = await import('pino-pretty')
  const shown = build({ destination, sync: true, translateTime: 'HH:MM:ss' })
  return { write: (line) => shown.write(`${JSON.stringify(JSON.parse(line, clean))}\n`) }
}

/** Keeps line breaks in stacks only: in any other text, they could forge a line of the log. */
function clean(name: string, value: unknown): unknown {
  if (typeof value === 'string') return name === 'stack' ? forTerminal(value) : onOneLine(value)
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [onOneLine(key), field]))
}

function requestOf(requestId: string | undefined) {
  return requestId === undefined ? {} : { requestId }
}

function traceOf(span: Span | undefined) {
  return span && { trace_id: span.traceId, span_id: span.id }
}

/** The last line of defence: no caller should pass a secret. */
function withoutSecrets(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, SECRET.test(name) ? '[secret]' : shown(value, depth)]),
  )
}

function shown(value: unknown, depth: number): unknown {
  if (depth >= DEEPEST) return '[deep]'
  if (Array.isArray(value)) return value.map((item) => shown(item, depth + 1))
  return isPlain(value) ? withoutSecrets(value, depth + 1) : value
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
