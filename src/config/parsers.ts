import { isIP } from 'node:net'
import { Email, isSynthetic } from '../rules/email.ts'
import { isOneLine, isVisible } from '../rules/one-line.ts'
import { addressesOf } from './addresses.ts'
import { isLoopback } from './public-address.ts'

/** Returns the value, or throws a `Malformed` that says what it should be. */
export type Parser<T> = (text: string) => T

export class Malformed extends Error {
  override readonly name = 'Malformed'
}

export function text(maximum: number): Parser<string> {
  return (value) => {
    if (value.length > maximum || !isOneLine(value) || !isVisible(value))
      throw new Malformed(`must be one line of at most ${maximum} visible characters`)
    return value
  }
}

/** Refuses text that is too short to be a secret. */
export const secret: Parser<string> = (value) => {
  if (value.length < 32) throw new Malformed('must have at least 32 characters')
  return value
}

export const encryptionKey: Parser<string> = (value) => {
  if (!/^[0-9a-f]{64}$/i.test(value)) throw new Malformed('must be 32 bytes written as 64 hexadecimal digits')
  return value
}

function whole(what: string, least: number, most: number): Parser<number> {
  return (value) => {
    const number = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= least && number <= most)) throw new Malformed(`must be ${what}, ${least} to ${most}`)
    return number
  }
}

export const port = whole('a port number', 1, 65_535)
export const days = whole('a number of days', 1, 99_999)
export const factor = whole('a whole number', 1, 1_000)
/** A stop takes ten seconds at most, and running requests must end within them too. */
export const drainSeconds = whole('a number of seconds', 0, 5)

export const host: Parser<string> = (value) => {
  if (isIP(value) === 0 && !HOST_NAME.test(value)) throw new Malformed('must be an address or a host name')
  return value
}

const HOST_NAME = /^(?!-)[a-z0-9-]{1,63}(\.(?!-)[a-z0-9-]{1,63})*$/i

export const domain: Parser<string> = (value) => {
  const [name = '', portText, ...rest] = value.split(':')
  const isPort = portText === undefined || /^\d{1,5}$/.test(portText)
  if (!HOST_NAME.test(name) || !isPort || rest.length > 0)
    throw new Malformed('must be a domain such as id.example.com, without scheme or path')
  return value.toLowerCase()
}

export const email: Parser<string> = (value) => {
  const address = Email.safeParse(value)
  if (!address.success || isSynthetic(address.data)) throw new Malformed('must be an email address')
  return address.data
}

export const headerName: Parser<string> = (value) => {
  if (!HEADER_NAME.test(value)) throw new Malformed('must be the name of a header')
  return value.toLowerCase()
}

/** `name=value,name=value`, each escaped as in an address, as OpenTelemetry has it. */
export const headers: Parser<Readonly<Record<string, string>>> = (value) => {
  const entries = value.split(',').map((pair) => /^\s*([^=\s]+)=(.*?)\s*$/.exec(pair)?.slice(1) ?? [])
  if (!entries.every(([name = '', text = '']) => HEADER_NAME.test(name) && isDecodable(text)))
    throw new Malformed('must look like name=value,name=value')
  return Object.fromEntries(entries.map(([name = '', text = '']) => [name.toLowerCase(), decodeURIComponent(text)]))
}

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/i

export function oneOf<const T extends string>(...allowed: readonly T[]): Parser<T> {
  return (value) => {
    const found = allowed.find((candidate) => candidate === value)
    if (found === undefined) throw new Malformed(`must be one of ${allowed.join(', ')}`)
    return found
  }
}

export function url(...schemes: readonly string[]): Parser<string> {
  return (value) => {
    const scheme = URL.parse(value)?.protocol.slice(0, -1)
    if (scheme === undefined || !schemes.includes(scheme))
      throw new Malformed(`must be an address that starts with ${schemes.map((s) => `${s}://`).join(' or ')}`)
    return value
  }
}

/** The driver would fail at a stray % with an error that does not name the value. */
export const keyValueUrl: Parser<string> = (value) => {
  const isSentinel = value.startsWith('redis-sentinel:')
  if (isSentinel && !SENTINELS.test(value))
    throw new Malformed('must look like redis-sentinel://host:26379,host:26379/name')
  const address = isSentinel ? value.replace(/,[^/]*/, '') : url('redis', 'rediss')(value)
  if (URL.parse(address) === null) throw new Malformed('must be an address')
  const { username, password } = new URL(address)
  if (!isDecodable(`${username}:${password}`))
    throw new Malformed('has a % in its user or password that begins no escape; write it as %25')
  return value
}

const SENTINELS = /^redis-sentinel:\/\/([^/?#]*@)?[^/?#@,]+(,[^/?#@,]+)*\/[^/?#]+(\/\d+)?(\?[^#]*)?$/

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Drops the trailing slash, since paths are appended. */
export const webUrl: Parser<string> = (value) => url('https', 'http')(value).replace(/\/+$/, '')

/** One host or several, of which one takes writes: `postgres://a:5432,b:5432/meta?target_session_attrs=read-write`. */
export const databaseUrl: Parser<string> = (value) => {
  const addresses = addressesOf(value)
  for (const address of addresses) url('postgres', 'postgresql')(address)
  if (addresses.length > 1 && addresses.some((address) => new URL(address).host === ''))
    throw new Malformed('has an empty host')
  const attributes = /[?&]target_session_attrs=([^&]*)/.exec(value)?.[1] ?? 'read-write'
  if (attributes !== 'read-write')
    throw new Malformed('has target_session_attrs that is not read-write; replicas have a place of their own')
  return value
}

export const origin: Parser<string> = (value) => {
  const isOrigin = URL.parse(value)?.origin === value && /^https?:/.test(value)
  if (!isOrigin || value.includes('*'))
    throw new Malformed('must be origins such as https://app.example.com, without a path or *')
  return value
}

export const publicUrl: Parser<string> = (value) => {
  const address = URL.parse(value)
  const text = value.replace(/\/$/, '')
  if (address?.origin !== text || !/^https?:/.test(value) || value.includes('*'))
    throw new Malformed('must be an address such as https://id.example.com, without a path')
  if (address.protocol === 'http:' && !isLoopback(address.hostname))
    throw new Malformed('must start with https://; http:// is for localhost only')
  return text
}

export const providerPreset: Parser<string> = (value) => {
  if (PRESETS.has(value)) return value
  const [preset = '', ...address] = value.split(':')
  if (!ADDRESSED_PRESETS.has(preset) || address.length === 0)
    throw new Malformed(
      `must be one of ${[...PRESETS].join(', ')}, or oidc:<issuer url>, github:<url>, gitlab:<url>, microsoft:<url>`,
    )
  return `${preset}:${webUrl(address.join(':'))}`
}

/** Each has its case in `namedPreset`. */
export const presetNames = ['google', 'github', 'gitlab', 'microsoft', 'discord', 'oidc'] as const
const PRESETS: ReadonlySet<string> = new Set(presetNames.filter((name) => name !== 'oidc'))
const ADDRESSED_PRESETS: ReadonlySet<string> = new Set(['oidc', 'github', 'gitlab', 'microsoft'])

export function list<T>(item: Parser<T>): Parser<readonly T[]> {
  return (value) =>
    value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(item)
}
