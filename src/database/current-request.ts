import { AsyncLocalStorage } from 'node:async_hooks'
import type { ReadPosition } from './read-position.ts'

/** The request that is being served. */
interface CurrentRequest {
  readonly id: string
  /** Undefined if the request reads no store. */
  readonly readPosition?: ReadPosition | undefined
  readonly sender?: Connection
}

interface Connection {
  /** Aborts when the client closes its connection without waiting for the response. */
  readonly leaving: AbortSignal
}

const requests = new AsyncLocalStorage<CurrentRequest>()

export function inRequest<T>(request: CurrentRequest, work: () => T): T {
  return requests.run(request, work)
}

/** The request's id, for its log lines. */
export function currentRequestId(): string | undefined {
  return requests.getStore()?.id
}

/** Lets long work stop once the client no longer waits. */
export function currentSenderLeaving(): AbortSignal | undefined {
  return requests.getStore()?.sender?.leaving
}

/** Runs work that other requests share, so it continues after this client has left. */
export function forOthersToo<T>(work: () => T): T {
  const current = requests.getStore()
  if (!current?.sender) return work()
  const { sender: _, ...request } = current
  return requests.run(request, work)
}

/** Runs statements on the primary that no bookmark has to cover. */
export function outsideBookmark<T>(work: () => T): T {
  const current = requests.getStore()
  return current?.readPosition ? requests.run({ ...current, readPosition: undefined }, work) : work()
}

export function currentReadPosition(): ReadPosition | undefined {
  return requests.getStore()?.readPosition
}
