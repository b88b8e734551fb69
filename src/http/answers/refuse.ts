import { StoreLeftOut, StoreUnavailable, TookTooLong } from '../../database/store.ts'
import { QueueFull } from '../../platform/passwords/fair-queue.ts'
import type { Platform } from '../../platform/platform.ts'
import { type OAuthFault, oauthFault, Refusal } from '../../rules/refusal.ts'
import type { Exchange } from '../exchange.ts'
import { type Answer, json } from './answer.ts'

type Ports = Pick<Platform, 'log' | 'refusals'>

/** The one place where an error becomes a response. */
export function refuse(platform: Ports, exchange: Exchange, error: unknown): Answer {
  const refusal = refusalOf(error)
  if (refusal.code === 'INTERNAL_ERROR') logFault(platform, exchange, error, refusal)
  else if (exchange.signsIn && error instanceof Refusal) logFailedSignIn(platform, exchange, refusal.code)
  const { path, sender } = exchange
  // The server itself has counted what it refused on the connection.
  if (exchange.takesResponse)
    platform.refusals.note({ code: refusal.code, address: sender.address, path, origin: originOf(exchange, refusal) })
  if (refusal.retryAfterSeconds !== undefined) {
    exchange.setHeader('retry-after', String(Math.max(1, Math.ceil(refusal.retryAfterSeconds))))
  }
  return json(exchange.refusesAsOAuth ? oauthBody(refusal) : body(refusal), refusal.status, refusal.code)
}

export function refuseMissing(): never {
  throw new Refusal('NOT_FOUND', 'This path does not exist.')
}

function body({ code, message, issues, facts }: Refusal) {
  return { code, message, ...(issues && { issues }), ...facts }
}

function oauthBody({ oauth, status, message }: Refusal) {
  return oauthFault(oauth ?? (status >= 500 ? 'server_error' : 'invalid_request'), message)
}

/** Undefined for limits and for faults of this service, which say nothing about how the client is set up. */
export function faultOfClient(error: unknown): OAuthFault | undefined {
  const refusal = refusalOf(error)
  return refusal.status < 429 ? oauthBody(refusal) : undefined
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof StoreLeftOut) {
    const words = `The data is in ${error.store}, which this service runs without for now. It is not lost.`
    return new Refusal('STORE_UNAVAILABLE', words, { cause: error, retryAfterSeconds: 300 })
  }
  if (error instanceof StoreUnavailable) {
    return new Refusal('STORE_UNAVAILABLE', `The store ${error.store} is not available right now.`, {
      cause: error,
      retryAfterSeconds: 2,
    })
  }
  if (error instanceof TookTooLong) {
    const words = 'This took longer than ten seconds. Ask for less, for example for a shorter time.'
    return new Refusal('STORE_UNAVAILABLE', words, { cause: error, retryAfterSeconds: 10 })
  }
  if (error instanceof QueueFull) {
    return new Refusal('STORE_UNAVAILABLE', 'Too many sign-ins at once; try again in a moment.', {
      cause: error,
      retryAfterSeconds: 2,
    })
  }
  return new Refusal('INTERNAL_ERROR', 'Something went wrong on our side.', { cause: error })
}

const LONGEST_ORIGIN = 300

function originOf(exchange: Exchange, { code }: Refusal): string | undefined {
  return code === 'INVALID_ORIGIN' ? exchange.header('origin')?.slice(0, LONGEST_ORIGIN) : undefined
}

/**
 * One line for each failure, for programs that block addresses: who called and why it failed, never which
 * account.
 */
export function logFailedSignIn(
  { log }: Pick<Ports, 'log'>,
  { sender }: Pick<Exchange, 'sender'>,
  code: string,
  more: object = {},
): void {
  log.warn({ address: sender.address, code, ...more }, 'sign-in failed')
}

function logFault({ log }: Ports, { path }: Exchange, error: unknown, { code }: Refusal): void {
  log.error({ code, error, path }, 'request failed')
}
