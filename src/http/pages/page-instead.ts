import { StoreUnavailable } from '../../database/store.ts'
import { Refusal } from '../../rules/refusal.ts'
import { type Answer, redirect } from '../answers/answer.ts'
import type { Exchange } from '../exchange.ts'

type Respond = (exchange: Exchange) => Promise<Answer>

/**
 * A browser gets the page instead of a refusal in JSON, and the page says what is wrong. If the request itself
 * cannot be read, the page gets an empty one, so that it uses no part of it.
 */
export function pageInstead(respond: Respond, page: Respond): Respond {
  return async (exchange) => {
    try {
      return await respond(exchange)
    } catch (error) {
      if (!isRefused(error) || !acceptsPages(exchange)) throw error
      const isUnreadable = exchange.method === 'POST' || isInvalid(error)
      return isUnreadable ? redirect(`${exchange.path}?client_id=`) : page(exchange)
    }
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof Refusal || error instanceof StoreUnavailable
}

function isInvalid(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'INVALID_REQUEST'
}

/** True for a browser that displays the response, and false for a script or program. */
export function acceptsPages(exchange: Exchange): boolean {
  return /\btext\/html\b/i.test(exchange.header('accept') ?? '')
}
