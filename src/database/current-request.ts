import { AsyncLocalStorage } from 'node:async_hooks'
import type { ReadPosition } from './read-position.ts'

/** The request that is being served. */
interface CurrentRequest {
  readonly id: string
  /** Undefined if the request reads no store. */
  readonly readPosition?: ReadPosition | undefined
}

const requests = new AsyncLocalStorage<CurrentRequest>()

export function inRequest<T>(request: CurrentRequest, work: () => T): T {
  return requests.run(request, work)
}

/** For the request's log lines. */
export function currentRequestId(): string | undefined {
  return requests.getStore()?.id
}

export function currentReadPosition(): ReadPosition | undefined {
  return requests.getStore()?.readPosition
}
