import { onlineManager } from '@tanstack/react-query'
import type { App } from '../../../src/app.ts'
import { watched } from './slowness.ts'

interface Issue {
  readonly path: string
  readonly message: string
}

interface Refused {
  readonly code: string
  readonly message?: string
  readonly issues?: readonly Issue[]
}

/** A refusal of the server, or `NETWORK` if it could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string
  readonly status: number
  readonly issues: readonly Issue[]
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, refused: Refused, retryAfterSeconds?: number) {
    super(refused.message ?? refused.code)
    this.code = refused.code
    this.status = status
    this.issues = refused.issues ?? []
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The input and output of a path, from the service's own declarations. */
export type Input<Path extends keyof App> = App[Path]['input']
export type Output<Path extends keyof App> = App[Path]['output']

export async function call<Path extends keyof App>(
  path: Path,
  input: Input<Path>,
  headers: HeadersInit = {},
): Promise<Output<Path>> {
  return withConfirmation(() => send(path, posted(input, headers)))
}

/** The response as it came: it can be too long to be read into objects. */
export async function callForFile<Path extends keyof App>(path: Path, input: Input<Path>): Promise<Blob> {
  return withConfirmation(async () => {
    const response = await reach(path, posted(input))
    if (!response.ok) throw refusalOf(response, await response.json().catch(() => undefined))
    return response.blob().catch(lost)
  })
}

function posted(input: unknown, headers: HeadersInit = {}): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify(input),
    headers: { 'content-type': 'application/json', ...headers },
  }
}

/** If the user has to decide something first, such as to confirm who they are, asks them and does it again. */
async function withConfirmation<Got>(act: () => Promise<Got>): Promise<Got> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof ApiError) || !(await askAbout(error.code))) throw error
    return act()
  }
}

/** A refusal after which the user decides whether the action is done again. */
type Question = 'SESSION_NOT_FRESH' | 'OTHER_ACCOUNT'
type Ask = () => Promise<boolean>

const asks = new Map<string, Ask>()
const asked = new Map<string, Promise<boolean>>()

/** One question at a time, however many requests were refused. False if no page can ask. */
export async function askAbout(code: string): Promise<boolean> {
  const answer = asked.get(code) ?? asks.get(code)?.() ?? false
  if (answer === false) return false
  asked.set(code, answer)
  return answer.finally(() => asked.delete(code))
}

/** The page that asks the user; the refused action is then done again. Returns a function that stops this. */
export function onRefusal(code: Question, ask: Ask): () => void {
  asks.set(code, ask)
  return () => void asks.delete(code)
}

let account: string | undefined

/** The user whom this page shows: no request of it is done for another. */
export function showAccount(userId: string | undefined): void {
  account = userId
}

export const isOtherAccount = (userId: string) => account !== undefined && account !== userId

/** Paths that say or change whose the browser is. */
const OF_THE_BROWSER = /^\/api\/auth\/(get-session|sign-out|multi-session\/|admin\/stop-impersonating)/

function ofAccount(path: string, init: RequestInit): RequestInit {
  if (account === undefined || OF_THE_BROWSER.test(path)) return init
  const headers = new Headers(init.headers)
  headers.set('x-account-id', account)
  return { ...init, headers }
}

export function get<Path extends keyof App>(path: Path, search = ''): Promise<Output<Path>> {
  return withConfirmation(() => send(path + search, {}))
}

/** Counts what was announced to this page, how much of that the browser's bookmark includes, and the page's writes. */
const happened = { news: 0, included: 0, writes: 0 }

/** Reads from the primary until a response brings a newer bookmark, because a replica may lack what is new. */
export function readNewest(): void {
  happened.news++
}

/** A response to an earlier request that comes after this sets the browser's bookmark back. */
export function noteWrite(): void {
  happened.writes++
}

async function send<Output>(path: string, init: RequestInit): Promise<Output> {
  const { news, included, writes } = happened
  const response = await reach(path, news > included ? newest(init) : init)
  if (response.ok) happened.included = Math.max(happened.included, news)
  if (happened.writes > writes) readNewest()
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw refusalOf(response, body)
  if (body === undefined) throw new ApiError(response.status, { code: 'UNREADABLE' })
  return asDeclared(body)
}

function newest(init: RequestInit): RequestInit {
  const headers = new Headers(init.headers)
  headers.set('x-db-meta-bookmark', 'first-primary')
  return { ...init, headers }
}

/** Fetches a file into the browser's cache. */
export async function fetchFile(path: string): Promise<void> {
  const response = await reach(path, {})
  if (!response.ok) throw refusalOf(response, await response.json().catch(() => undefined))
  await response.arrayBuffer().catch(lost)
}

let timesLost = 0
onlineManager.subscribe((isOnline) => {
  if (!isOnline) timesLost++
})

async function reach(path: string, init: RequestInit): Promise<Response> {
  const lostBefore = timesLost
  try {
    const response = await watched(fetch(path, ofAccount(path, init)))
    // A response that was on its way when the connection was lost does not bring it back.
    if (timesLost === lostBefore) onlineManager.setOnline(true)
    return response
  } catch (cause) {
    return lost(cause)
  }
}

function lost(cause: unknown): never {
  onlineManager.setOnline(false)
  throw new ApiError(0, { code: 'NETWORK', message: String(cause) })
}

function refusalOf(response: Response, body: unknown): ApiError {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(
    response.status,
    isRefused(body) ? body : { code: response.status >= 502 ? 'STORE_UNAVAILABLE' : 'UNREADABLE' },
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  )
}

function isRefused(body: unknown): body is Refused {
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string'
}

/** The server is ours and of the same build: its declarations are trusted, not checked again. */
function asDeclared<Output>(body: unknown): Output {
  return body as Output
}
