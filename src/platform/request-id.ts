import { AsyncLocalStorage } from 'node:async_hooks'

const requests = new AsyncLocalStorage<string>()

/** The request that this work is for, so that each of its log lines can say so. */
export function currentRequestId(): string | undefined {
  return requests.getStore()
}

export function inRequest<T>(requestId: string, work: () => T): T {
  return requests.run(requestId, work)
}
