import manifest from '../package.json' with { type: 'json' }
import { Failure } from './terminal/failure.ts'
import type { Io } from './terminal/io.ts'
import { isObject } from './terminal/json.ts'
import { cleanLine } from './terminal/text.ts'

export const userAgent = `gatehouse/${manifest.version} (${process.platform})`

const reachedNobody = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

/** A request that did not arrive, or whose response never came. */
export class Unreachable extends Failure {
  /** True if the request may have been carried out anyway. */
  readonly mayHaveArrived: boolean

  constructor(server: string, cause: unknown, message = `no response from ${server}: ${reasonOf(cause)}`) {
    super('refused', message, { cause })
    this.mayHaveArrived = !reachedNobody.includes(reasonOf(cause))
  }

  /** A proxy in front of it, or the server itself, is temporarily unavailable. */
  static answering(server: string, status: number, cause: unknown): Unreachable {
    return new Unreachable(server, cause, `${server} returned ${status}; try again later`)
  }
}

/** A redirect is returned as it is: a token must not be sent to wherever a server redirects. */
export async function ask(io: Io, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual', signal: init.signal ?? io.interrupted })
  } catch (error) {
    if (io.interrupted.aborted) throw error
    throw new Unreachable(url.origin, error)
  }
}

/** The first `longest` bytes of a response. The rest is not fetched, however much a server sends. */
export async function readAtMost(
  { body, url }: Response,
  longest: number,
): Promise<{ readonly body: Buffer; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk)
      length += chunk.byteLength
      if (length > longest) break
    }
  } catch (error) {
    throw new Unreachable(new URL(url).origin, error)
  }
  return { body: Buffer.concat(chunks).subarray(0, longest), isCut: length > longest }
}

/** Many times what a server says about tokens or their users. */
const LONGEST_SHORT = 1024 * 1024

/** A response that is used by the client itself, not shown. */
export async function readShort(response: Response): Promise<Buffer<ArrayBuffer>> {
  const { body, isCut } = await readAtMost(response, LONGEST_SHORT)
  const { origin } = new URL(response.url)
  if (isCut) throw new Failure('refused', `${origin} sent more than 1 MiB where that makes no sense`)
  return Buffer.from(body)
}

interface Sent extends Omit<RequestInit, 'body'> {
  readonly body?: RequestInit['body'] | undefined
}

/** Replaces `fetch`: returns a response that has been read. */
export async function fetchShort(address: string, { body: sent, ...init }: Sent): Promise<Response> {
  const response = await fetch(address, { ...init, body: sent ?? null })
  const { status, headers } = response
  const body = await readShort(response)
  // A `Response` cannot have a status that HTTP does not have.
  if (status > 599) throw Unreachable.answering(new URL(address).origin, status, undefined)
  return new Response(body.length === 0 ? null : body, { status, headers })
}

/** The system's code (`ECONNREFUSED`) is in the cause of fetch's "fetch failed". */
export function reasonOf(error: unknown): string {
  if (error instanceof Failure) return error.message
  if (!(error instanceof Error)) return cleanLine(String(error))
  if (error.name === 'TimeoutError') return 'timed out'
  if (isObject(error.cause) && typeof error.cause.code === 'string') return error.cause.code
  if (error.cause instanceof Error) return reasonOf(error.cause)
  return cleanLine(error.message)
}
