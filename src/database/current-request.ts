import { AsyncLocalStorage } from 'node:async_hooks'
import type { ReadPosition } from './read-position.ts'

/** The request that work is for. */
export interface CurrentRequest {
  readonly id: string
  /** Undefined where no store is asked on behalf of anybody. */
  readonly readPosition?: ReadPosition | undefined
}

const requests = new AsyncLocalStorage<CurrentRequest>()

export function inRequest<T>(request: CurrentRequest, work: () => T): T {
  return requests.run(request, work)
}

/** So that each of its log lines can say so. */
export function currentRequestId(): string | undefined {
  return requests.getStore()?.id
}

export function currentReadPosition(): ReadPosition | undefined {
  return requests.getStore()?.readPosition
}
