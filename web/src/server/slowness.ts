const slowAfterMs = 8_000

let waitingCount = 0
const listeners = new Set<() => void>()

/** True if a request has waited so long for its response that the user should be told. */
export const slowness = {
  isSlow: () => waitingCount > 0,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

export async function watched<Got>(response: Promise<Got>): Promise<Got> {
  let isWaiting = false
  const count = (change: number) => {
    waitingCount += change
    for (const listener of listeners) listener()
  }
  const timer = setTimeout(() => {
    isWaiting = true
    count(1)
  }, slowAfterMs)
  try {
    return await response
  } finally {
    clearTimeout(timer)
    if (isWaiting) count(-1)
  }
}
