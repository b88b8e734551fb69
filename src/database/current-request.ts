import { AsyncLocalStorage } from 'node:async_hooks'
import type { ReadPosition } from './read-position.ts'

/** The request that is being served. */
interface CurrentRequest {
  readonly id: string
  /** Undefined if the request reads no store. */
  readonly readPosition?: ReadPosition | undefined
  readonly sender?: Sender
}

interface Sender {
  /** Aborted when the client has closed its connection without waiting for the response. */
  readonly leaving: AbortSignal
}

const requests = new AsyncLocalStorage<CurrentRequest>()

export function inRequest<T>(request: CurrentRequest, work: () => T): T {
  return requests.run(request, work)
}

/** For the request's log lines. */
export function currentRequestId(): string | undefined {
  return requests.getStore()?.id
}

/** For what takes long: nobody waits for it any more. */
export function currentSenderLeaving(): AbortSignal | undefined {
  return requests.getStore()?.sender?.leaving
}

/** For work whose result other requests use too: it goes on after the sender of this one has left. */
export function forOthersToo<T>(work: () => T): T {
  const current = requests.getStore()
  if (!current?.sender) return work()
  const { sender: _, ...request } = current
  return requests.run(request, work)
}

export function currentReadPosition(): ReadPosition | undefined {
  return requests.getStore()?.readPosition
}
