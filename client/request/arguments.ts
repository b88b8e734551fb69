import { parseArgs } from 'node:util'
import { placeArguments } from '../command.ts'
import { checkName } from '../credentials/credentials.ts'
import { parseSeconds } from '../seconds.ts'
import { usage } from '../terminal/failure.ts'
import { type Field, readsStdin } from './fields.ts'

export const options = {
  name: { type: 'string' },
  method: { type: 'string' },
  path: { type: 'string' },
  body: { type: 'string' },
  header: { type: 'string', short: 'H', multiple: true },
  'raw-field': { type: 'string', short: 'f', multiple: true },
  field: { type: 'string', short: 'F', multiple: true },
  input: { type: 'string' },
  include: { type: 'boolean', short: 'i' },
  silent: { type: 'boolean' },
  verbose: { type: 'boolean' },
  paginate: { type: 'boolean' },
  jq: { type: 'string', short: 'q' },
  timeout: { type: 'string' },
  'token-stdin': { type: 'boolean' },
} as const

export interface ApiCall {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body: string | undefined
  readonly input: string | undefined
  readonly fields: readonly Field[]
  readonly headers: Headers
  readonly include: boolean
  readonly silent: boolean
  readonly verbose: boolean
  readonly paginate: boolean
  readonly jq: string | undefined
  readonly tokenStdin: boolean
  /** The limit for each response. */
  readonly timeoutSeconds: number
}

/** Enough for the largest response over a slow line. */
const TIMEOUT_SECONDS = 300

// These headers would add a second identity to the connection's token, send it to another host, or change how it is
// sent.
const ownHeaders = [
  ...['authorization', 'proxy-authorization', 'cookie', 'host', 'content-length', 'transfer-encoding'],
  ...['connection', 'keep-alive', 'expect', 'te', 'trailer', 'upgrade'],
]

export function parseCall(args: string[]): ApiCall {
  const { values, positionals, tokens } = parseArgs({ args, options, allowPositionals: true, tokens: true })
  const { name, method, path, body } = placeArguments(['name', 'method', 'path', 'body'], values, positionals)
  if (!name || !method || !path) throw usage('request needs NAME, METHOD and PATH')

  const call = {
    name: checkName(name),
    method: parseMethod(method),
    path: parsePath(path),
    body,
    input: values.input,
    fields: tokens.flatMap(fieldOf),
    headers: parseHeaders(values.header ?? []),
    include: values.include ?? false,
    silent: values.silent ?? false,
    verbose: values.verbose ?? false,
    paginate: values.paginate ?? false,
    jq: values.jq,
    tokenStdin: values['token-stdin'] ?? false,
    timeoutSeconds: values.timeout === undefined ? TIMEOUT_SECONDS : parseSeconds(values.timeout),
  }
  refuseContradictions(call)
  return call
}

function fieldOf(token: {
  readonly kind: string
  readonly name?: string
  readonly value?: string | undefined
}): Field[] {
  if (token.kind !== 'option' || (token.name !== 'field' && token.name !== 'raw-field')) return []
  return [{ text: token.value ?? '', typed: token.name === 'field' }]
}

function refuseContradictions(call: ApiCall): void {
  const bodies = [call.body !== undefined, call.input !== undefined, call.fields.length > 0]
  if (bodies.filter(Boolean).length > 1) throw usage('give the body once: as BODY, with --input, or in fields')
  if (isRead(call.method) && (call.body !== undefined || call.input !== undefined))
    throw usage(`${call.method} carries no body`)
  if (call.tokenStdin && (call.input === '-' || readsStdin(call.fields)))
    throw usage('standard input can be either the token or the body')
  if (call.paginate && call.include) throw usage('--paginate joins many responses; -i shows the headers of one')
}

export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

function parseMethod(method: string): string {
  if (/^(get|head|post|put|patch|delete|options)$/i.test(method)) return method.toUpperCase()
  throw usage(`"${method}" is not a valid method; use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS`)
}

/** Accepts a path on the connection's server only: `//other`, `/\other` and `https:other` would leave it. */
function parsePath(path: string): string {
  const probe = 'https://gatehouse.invalid'
  const isRelative = /^(?![a-z][a-z0-9+.-]*:)(?![/\\]{2})[^\s\\\p{Cc}]+$/iu.test(path)
  if (isRelative && URL.parse(path, probe)?.origin === probe) return path
  throw usage(`"${path}" is not a relative path; give only the path, like /api/…`)
}

function parseHeaders(lines: readonly string[]): Headers {
  const headers = new Headers()
  for (const line of lines) {
    const [name = '', ...rest] = line.split(':')
    refuseOwnHeader(name.trim())
    if (rest.length === 0) throw usage(`"${name.trim()}" is not a header; write "Name: value"`)
    append(headers, name.trim(), rest.join(':').trim())
  }
  return headers
}

function refuseOwnHeader(name: string): void {
  if (ownHeaders.includes(name.toLowerCase())) throw usage(`the connection sets ${name} itself; leave that header out`)
}

function append(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value)
  } catch {
    throw usage(`"${name}" cannot be sent as a header`)
  }
}
