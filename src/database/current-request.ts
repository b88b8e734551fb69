import { AsyncLocalStorage } from 'node:async_hooks'
import type { Place } from './read-position.ts'

/** The request that work is for. */
export interface CurrentRequest {
  readonly id: string
  /** Undefined where no store is asked on behalf of anybody. */
  readonly place?: Place | undefined
}

const requests = new AsyncLocalStorage<CurrentRequest>()

export function inRequest<T>(request: CurrentRequest, work: () => T): T {
  return requests.run(request, work)
}

/** So that each of its log lines can say so. */
export function currentRequestId(): string | undefined {
  return requests.getStore()?.id
}

export function currentPlace(): Place | undefined {
  return requests.getStore()?.place
}
