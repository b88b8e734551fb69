import * as oauth from 'oauth4webapi'
import { reasonOf, Unreachable } from '../http.ts'
import { Failure } from '../terminal/failure.ts'
import { cleanLine } from '../terminal/text.ts'

/** The server limits the rate of requests. */
export class SlowDown extends Failure {
  constructor(server: string, retryAfter: string | null) {
    const when = /^\d{1,5}$/.test(retryAfter ?? '') ? `in ${retryAfter} s` : 'later'
    super('refused', `${server} returned 429; try again ${when}`)
  }
}

/** Runs one protocol exchange, and turns its failures into readable messages. */
export async function withServer<T>(server: string, round: () => Promise<T>): Promise<T> {
  try {
    return await round()
  } catch (error) {
    throw inWords(server, error)
  }
}

function inWords(server: string, error: unknown): unknown {
  if (error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError')) {
    return new Unreachable(server, error)
  }
  const response = responseOf(error)
  if (response?.status === 429) return new SlowDown(server, response.headers.get('retry-after'))
  if (response && response.status >= 500) return Unreachable.answering(server, response.status, error)
  return inProtocolWords(server, error, response)
}

function inProtocolWords(server: string, error: unknown, response: Response | undefined): unknown {
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) {
    const words = cleanLine(error.error_description ?? '') || cleanLine(error.error)
    return new Failure('refused', `${server} refused: ${words}`, { cause: error })
  }
  if (response && response.status >= 400) return notGatehouse(server, `it returned ${response.status}`, error)
  if (error instanceof oauth.OperationProcessingError) return notGatehouse(server, reasonOf(error), error)
  return error
}

function responseOf(error: unknown): Response | undefined {
  if (error instanceof oauth.ResponseBodyError) return error.response
  if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response
  if (error instanceof oauth.OperationProcessingError && error.cause instanceof Response) return error.cause
  return undefined
}

function notGatehouse(server: string, what: string, cause: unknown): Failure {
  const words = `${server} does not look like a Gatehouse server (${what}); a proxy or firewall may be in front of it`
  return new Failure('refused', words, { cause })
}
