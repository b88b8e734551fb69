const slowAfterMs = 8_000

let waitingCount = 0
const listeners = new Set<() => void>()

/** Whether a request has been without an answer for so long that the person should hear of it. */
export const slowness = {
  isSlow: () => waitingCount > 0,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

export async function watched<Got>(asked: Promise<Got>): Promise<Got> {
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
    return await asked
  } finally {
    clearTimeout(timer)
    if (isWaiting) count(-1)
  }
}
