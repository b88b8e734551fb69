import fc from 'fast-check'
import { anything, type Schema, valuesOf } from './values.ts'

/** Plain data, so that a failure can be read and sent again. */
export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly as: 'nobody' | 'ann' | 'administrator' | 'client' | 'stranger'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly mediaType: string | undefined
  readonly schema: Schema
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** Every operation that the service describes, and some addresses that do not exist. */
export function requestsTo(description: Description): fc.Arbitrary<FuzzRequest> {
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operationOf(method.toUpperCase(), path, described)),
  )
  return fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...operations).chain(requestsOf) },
    { weight: 1, arbitrary: fc.webPath().chain((path) => requestsOf(undescribed(`/api${path}`))) },
  )
}

function operationOf(method: string, path: string, { parameters, requestBody }: Described): Operation {
  const [[mediaType, content] = []] = [Object.entries(requestBody?.content ?? {})[0]]
  const query = Object.fromEntries((parameters ?? []).map(({ name, schema }) => [name, schema]))
  return { method, path, mediaType, schema: content?.schema ?? { type: 'object', properties: query } }
}

function undescribed(path: string): Operation {
  return { method: 'POST', path, mediaType: 'application/json', schema: {} }
}

function requestsOf(operation: Operation): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      method: mostly(operation.method, fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')),
      query: operation.mediaType ? mostly('', strangeQueries) : queriesOf(operation.schema),
      as: fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom('ann', 'administrator', 'administrator') },
        { weight: 2, arbitrary: fc.constant('client') },
        { weight: 1, arbitrary: fc.constantFrom('nobody', 'stranger') },
      ),
      headers: strangeHeaders,
      type: mostly(operation.mediaType, fc.constantFrom(undefined, ...MEDIA_TYPES)),
      body: operation.mediaType ? bodiesOf(operation.mediaType, operation.schema) : fc.constant(undefined),
    })
    .map(({ method, query, as, headers, type, body }) => {
      const hasBody = method !== 'GET' && method !== 'HEAD'
      return {
        method,
        path: operation.path + query,
        as,
        headers: { ...(type && hasBody && { 'content-type': type }), ...headers },
        body: hasBody ? body : undefined,
      } as const
    })
}

function mostly<T, U>(usual: T, odd: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd })
}

const MEDIA_TYPES = [
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/json,text/plain',
  '',
  'x'.repeat(2000),
]

const strangeQueries = fc.constantFrom(
  '?',
  '?%',
  '?%zz=%E0%A4',
  '?a=1&a=2',
  `?${'a=b&'.repeat(500)}`,
  '?__proto__[x]=1',
)

function queriesOf(schema: Schema): fc.Arbitrary<string> {
  const sound = valuesOf({ ...schema, type: 'object' }).map((value) => `?${formOf(value)}`)
  return fc.oneof({ weight: 8, arbitrary: sound }, { weight: 1, arbitrary: strangeQueries })
}

function bodiesOf(mediaType: string, schema: Schema): fc.Arbitrary<string | undefined> {
  const encode = mediaType.includes('json') ? jsonOf : formOf
  return fc.oneof(
    { weight: 120, arbitrary: valuesOf(schema).map(encode) },
    { weight: 10, arbitrary: anything.map(encode) },
    { weight: 10, arbitrary: valuesOf(schema).map(encode).chain(cutShort) },
    { weight: 6, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
    { weight: 4, arbitrary: fc.constantFrom(undefined, '', '{', 'null', '[]', '"x"', '1e999', '%', '&&==&') },
    { weight: 2, arbitrary: fc.integer({ min: 10, max: 20_000 }).map((depth) => '['.repeat(depth)) },
    { weight: 1, arbitrary: fc.constant(`{"a":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_001)}`) },
    { weight: 1, arbitrary: fc.constant(`"${'x'.repeat(1024 * 1024)}"`) },
  )
}

/** Keys that nobody would choose too: `__proto__` can only be sent as text. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined'
}

function formOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return encodeURIComponent(String(value).toWellFormed())
  const pairs = Object.entries(value).map(([name, part]) => {
    const plain = typeof part === 'string' ? part : JSON.stringify(part)
    return `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(String(plain).toWellFormed())}`
  })
  return pairs.join('&')
}

function cutShort(text: string): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: text.length }).map((length) => text.slice(0, length))
}

const headerText = fc.oneof(
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
    maxLength: 60,
  }),
  fc.constantFrom('', '-1', '1e9', 'x'.repeat(8_000), '%E0%A4%A', '=;=;', '127.0.0.1, ::1', 'null'),
)

const bookmark = fc.oneof(
  headerText,
  fc.constantFrom(
    'first-primary',
    'meta=1',
    'meta=999999999999~apac-1=9',
    'meta=1-FFFFFFFF/FFFFFFFF',
    '~~~~',
    'a=b~a=b',
  ),
)

const strangeHeaders = fc
  .record(
    {
      cookie: fc
        .tuple(fc.constantFrom('session', 'db_meta_bookmark', 'provider_flow', '', '__proto__'), headerText)
        .map(([name, value]) => `${name}=${value}`),
      authorization: fc.oneof(
        headerText,
        headerText.map((value) => `Bearer ${value}`),
        headerText.map((value) => `Basic ${value}`),
      ),
      'x-db-meta-bookmark': bookmark,
      'x-forwarded-for': headerText,
      'cf-ipcontinent': headerText,
      'x-request-id': headerText,
      'x-captcha-response': headerText,
      'user-agent': headerText,
      origin: fc.oneof(headerText, fc.constantFrom('http://localhost:5173', 'null', 'https://evil.example')),
      'sec-fetch-site': fc.constantFrom('cross-site', 'same-origin', 'x'),
      host: fc.constantFrom('localhost:5173', '[', 'a b', 'evil.example', ''),
      'content-length': fc.constantFrom('0', '-1', '5', '1e9', 'x', '99999999999999999999'),
    },
    { requiredKeys: [] },
  )
  .chain((headers) => fewOf(headers))

/** Mostly none: a request with every header wrong gets no further than the first. */
function fewOf(headers: Readonly<Record<string, string>>): fc.Arbitrary<Record<string, string>> {
  const names = Object.keys(headers)
  const chosen = fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([]) },
    { weight: 2, arbitrary: fc.subarray(names, { maxLength: Math.min(2, names.length) }) },
  )
  return chosen.map((kept) => Object.fromEntries(kept.map((name) => [name, headers[name] ?? ''])))
}
