import { readText } from '../read-text.ts'
import { Bookmark } from './bookmark.ts'
import { GatehouseError, parsed, refusalOf, tooLarge, unreachable } from './error.ts'

/** Maps paths to input and output; made from the service's own routes. */
export interface AnyApi {
  readonly get: Routes
  readonly post: Routes
}

type Routes = object

type InputOf<Route> = Route extends { input: infer Input } ? Input : never
type OutputOf<Route> = Route extends { output: infer Output } ? Output : never
/** The input can be left out if nothing in it is required. */
type Arguments<Input> =
  Record<never, never> extends Input ? [input?: Input, options?: CallOptions] : [input: Input, options?: CallOptions]

export interface Client<Api extends AnyApi> {
  get<Path extends keyof Api['get'] & string>(
    path: Path,
    ...rest: Arguments<InputOf<Api['get'][Path]>>
  ): Promise<OutputOf<Api['get'][Path]>>
  post<Path extends keyof Api['post'] & string>(
    path: Path,
    ...rest: Arguments<InputOf<Api['post'][Path]>>
  ): Promise<OutputOf<Api['post'][Path]>>
}

export interface ClientOptions {
  /** The service's address, for instance `https://id.example.com`. */
  readonly baseUrl: string
  /**
   * A session token or an access token, or a function that returns the current one. Without it the browser's
   * cookie is sent.
   */
  readonly token?: string | undefined | (() => string | undefined | Promise<string | undefined>)
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch
  /** The time limit of each request; by default a minute. */
  readonly timeoutMilliseconds?: number
  /** The most bytes of a response that are read; by default 256 MiB. A larger one is `UNREADABLE`. */
  readonly largestAnswerBytes?: number
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** Facts about the routes that the client needs. */
export interface RouteFacts {
  /** `GET /path` and `POST /path` that change nothing. */
  readonly reads: readonly string[]
  /** Paths that take an `Idempotency-Key`: the same key is carried out once. */
  readonly keyed: readonly string[]
}

interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly input: object
  readonly options: CallOptions
}

const PAUSES_MILLISECONDS = [200, 1_000]
const TEMPORARY = [502, 503, 504]
/** Exceeds the longest time a route waits for something to happen. */
const TIMEOUT_MILLISECONDS = 60_000
/** Exceeds any response of Gatehouse, and is half of the longest string on most platforms. */
const LARGEST_ANSWER_BYTES = 256 * 1024 * 1024

/** Keeps the bookmark, and sends a request again only if that cannot do anything twice. */
export function clientFor<Api extends AnyApi>(options: ClientOptions, facts: RouteFacts): Client<Api> {
  const bookmark = new Bookmark()
  const reads = new Set(facts.reads)
  const keyed = new Set(facts.keyed)

  const request = (call: Call): Promise<unknown> => {
    const takesKey = keyed.has(call.path)
    const isSafe = takesKey || reads.has(`${call.method} ${call.path}`)
    const headers = headersOf(call, takesKey)
    return withRetries(isSafe ? PAUSES_MILLISECONDS : [], call.options.signal, () =>
      send(options, bookmark, call, headers),
    )
  }
  const by =
    (method: Call['method']) =>
    (path: string, input: object = {}, callOptions: CallOptions = {}) =>
      request({ method, path, input, options: callOptions })
  return asTyped({ get: by('GET'), post: by('POST') })
}

async function withRetries(
  [pause, ...later]: readonly number[],
  signal: AbortSignal | undefined,
  work: () => Promise<unknown>,
): Promise<unknown> {
  if (pause === undefined) return work()
  try {
    return await work()
  } catch (error) {
    if (!isTemporary(error)) throw error
  }
  await sleep(pause, signal)
  return withRetries(later, signal, work)
}

async function send(
  {
    baseUrl,
    token,
    fetch: ask = fetch,
    timeoutMilliseconds = TIMEOUT_MILLISECONDS,
    largestAnswerBytes = LARGEST_ANSWER_BYTES,
  }: ClientOptions,
  bookmark: Bookmark,
  { method, path, input, options }: Call,
  headers: Headers,
): Promise<unknown> {
  const url = urlOf(path, baseUrl)
  if (method === 'GET') for (const [name, value] of Object.entries(input)) addTo(url, name, value)
  const bearer = typeof token === 'function' ? await token() : token
  if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`)
  const sent = bookmark.addTo(headers)
  const response = await ask(url, {
    method,
    headers,
    body: method === 'POST' ? JSON.stringify(input) : null,
    credentials: bearer === undefined ? 'include' : 'omit',
    redirect: 'manual',
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMilliseconds), ...(options.signal ? [options.signal] : [])]),
  }).catch(unreachable(options.signal))
  bookmark.keep(sent, response.headers)
  const text = await readText(response, largestAnswerBytes).catch(unreachable(options.signal))
  if (text === undefined) throw tooLarge(response, largestAnswerBytes)
  if (!response.ok) throw refusalOf(response, text)
  return parsed(response, text)
}

/** A path from untrusted input could name another host, which would then get the token. */
function urlOf(path: string, baseUrl: string): URL {
  const url = new URL(path, baseUrl)
  if (url.origin !== new URL(baseUrl).origin) throw new TypeError(`${path} is not a path of ${baseUrl}`)
  return url
}

function headersOf({ method, options }: Call, takesKey: boolean): Headers {
  const headers = new Headers({ accept: 'application/json', ...options.headers })
  if (method === 'POST') headers.set('content-type', 'application/json')
  if (takesKey && !headers.has('idempotency-key')) headers.set('idempotency-key', crypto.randomUUID())
  return headers
}

function addTo(url: URL, name: string, value: unknown): void {
  if (value !== undefined) url.searchParams.set(name, String(value))
}

/** True for no response, or one from a service that is temporarily unavailable. */
function isTemporary(error: unknown): boolean {
  return error instanceof GatehouseError && (error.status === 0 || TEMPORARY.includes(error.status))
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(done, milliseconds)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    function done() {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** The service's declarations are the types; responses are not checked a second time. */
function asTyped<Api extends AnyApi>(untyped: object): Client<Api> {
  return untyped as Client<Api>
}
