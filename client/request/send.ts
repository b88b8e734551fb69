import { bookmarkHeader, findBookmark, keepBookmark } from '../bookmark.ts'
import { ask, readAtMost, Unreachable, userAgent } from '../http.ts'
import { Failure } from '../terminal/failure.ts'
import { type Io, say } from '../terminal/io.ts'
import { cleanLine } from '../terminal/text.ts'
import type { Answer } from './answer.ts'
import { type ApiCall, isRead } from './arguments.ts'
import type { Content } from './body.ts'
import { type Caller, refuseCaller, renewCaller } from './caller.ts'
import { traceAnswer, traceRequest } from './output/verbose.ts'

const redirectsAtMost = 5
/** Many times what a Gatehouse server returns at once, and half of the longest string here. */
export const LONGEST_ANSWER = 256 * 1024 * 1024

interface Outgoing {
  readonly url: URL
  readonly body: Content['body']
  /** In bytes. A longer response is cut; without it, none is longer than `LONGEST_ANSWER`. */
  readonly longestAnswer?: number
}

/** Sends the request once. Only a refused token, which proves that nothing was done, causes a second attempt. */
export async function send(
  io: Io,
  call: ApiCall,
  caller: Caller,
  out: Outgoing,
): Promise<{ answer: Answer; caller: Caller }> {
  const first = await follow(io, call, caller, out)
  if (!refusesToken(first)) return { answer: first, caller }

  const renewed = await renewCaller(io, caller)
  const answer = await follow(io, call, renewed, out)
  if (refusesToken(answer)) refuseCaller(renewed)
  return { answer, caller: renewed }
}

/** RFC 6750 3: a password or code refused with 401 names no Bearer challenge. */
function refusesToken({ status, headers }: Answer): boolean {
  return status === 401 && /^bearer\b/i.test(headers.get('www-authenticate') ?? '')
}

async function follow(io: Io, call: ApiCall, caller: Caller, out: Outgoing): Promise<Answer> {
  let url = out.url
  for (let redirects = 0; redirects <= redirectsAtMost; redirects++) {
    const answer = await exchange(io, call, caller, { ...out, url })
    const next = redirectOf(answer, url)
    if (!next) return answer
    if (next.origin !== caller.server || !isRead(call.method)) {
      say(io, `gatehouse: not followed: redirect to ${cleanLine(next.href)}`)
      return answer
    }
    url = next
  }
  throw new Failure('refused', `${caller.server} redirects in a loop`)
}

function redirectOf({ status, headers }: Answer, url: URL): URL | null {
  const location = headers.get('location')
  return status >= 300 && status < 400 && location ? URL.parse(location, url.href) : null
}

async function exchange(io: Io, call: ApiCall, caller: Caller, out: Outgoing): Promise<Answer> {
  const { url, body, longestAnswer = LONGEST_ANSWER } = out
  const name = caller.connection?.name
  const bookmark = name === undefined ? undefined : findBookmark(io, name)
  const headers = headersFor(call, caller, body, bookmark)
  if (call.verbose) traceRequest(io, call.method, url, headers)

  const signal = AbortSignal.any([io.interrupted, AbortSignal.timeout(call.timeoutSeconds * 1000)])
  const init = { method: call.method, headers, body: body ?? null, signal }
  const response = await ask(io, url, init).catch(mayBeDone(call))
  const { status, statusText: reason, headers: answered } = response
  const read = await readAtMost(response, longestAnswer).catch(mayBeDone(call))
  const answer = { status, reason, headers: answered, ...read }
  if (answer.isCut && out.longestAnswer === undefined)
    throw new Failure('refused', `${url.origin} returned ${status} with more than 256 MiB, which is not read`)

  if (call.verbose) traceAnswer(io, answer)
  const next = answer.headers.get(bookmarkHeader)
  if (name !== undefined && next) await keepBookmark(io, name, bookmark, next)
  return answer
}

function headersFor(call: ApiCall, { token }: Caller, body: Content['body'], bookmark: string | undefined): Headers {
  const headers = new Headers({ accept: 'application/json', 'user-agent': userAgent })
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (bookmark !== undefined) headers.set(bookmarkHeader, bookmark)
  for (const [header, value] of call.headers) headers.set(header, value)
  headers.set('authorization', `Bearer ${token}`)
  return headers
}

/** A write whose response is lost may have been done; only the user can decide whether to repeat it. */
function mayBeDone({ method }: ApiCall): (error: unknown) => never {
  return (error) => {
    if (isRead(method) || !(error instanceof Unreachable) || !error.mayHaveArrived) throw error
    const words = 'it may have been carried out; check before retrying'
    throw new Failure('refused', `${error.message}; ${words}`, { cause: error })
  }
}
