import type { Context } from 'hono'
import { PasswordsBusy } from '../platform/passwords.ts'
import type { Platform } from '../platform/platform.ts'
import { StoreUnavailable } from '../platform/store.ts'
import { clientOf } from './client-of.ts'
import { answersAsOAuth } from './form.ts'
import { Refusal } from './refusal.ts'

/** The one place where a thrown thing becomes an answer. */
export function answerErrors(platform: Platform) {
  return (error: Error, context: Context): Response => {
    const refusal = refusalOf(error)
    if (!(error instanceof Refusal)) logFault(platform, context, error, refusal)
    else if (TELLING.has(refusal.status)) logRefusal(platform, context, refusal)
    platform.metrics.count('refusals', refusal.code)
    return answerRefusal(context, refusal)
  }
}

export function answerRefusal(context: Context, refusal: Refusal): Response {
  context.header('cache-control', 'no-store')
  if (refusal.retryAfterSeconds !== undefined) {
    context.header('retry-after', String(Math.max(1, Math.ceil(refusal.retryAfterSeconds))))
  }
  if (answersAsOAuth(context)) return context.json(oauthBody(refusal), refusal.status)
  const { code, message, issues } = refusal
  return context.json({ code, message, ...(issues && { issues }) }, refusal.status)
}

function oauthBody({ oauth, status, message }: Refusal) {
  const error = oauth ?? (status >= 500 ? 'server_error' : 'invalid_request')
  return { error, error_description: message }
}

function refusalOf(error: Error): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof StoreUnavailable) {
    return new Refusal('STORE_UNAVAILABLE', `The store ${error.store} is not available right now.`, {
      cause: error,
      retryAfterSeconds: 2,
    })
  }
  if (error instanceof PasswordsBusy) {
    return new Refusal('STORE_UNAVAILABLE', 'Too many sign-ins at once; try again in a moment.', {
      cause: error,
      retryAfterSeconds: 2,
    })
  }
  return new Refusal('INTERNAL_ERROR', 'Something went wrong on our side.', { cause: error })
}

/** No right, and too much: an operator wants to see who tries. */
const TELLING: ReadonlySet<number> = new Set([403, 429])

function logRefusal(platform: Platform, context: Context, { code }: Refusal): void {
  const { address } = clientOf(context)
  platform.log.info({ code, address, path: context.req.path }, 'refused')
}

function logFault(platform: Platform, context: Context, error: Error, { code }: Refusal): void {
  platform.log.error({ code, error, path: context.req.path }, 'request failed')
}
