/** Fails at once when the rehearsal is stopped. What the work has begun ends when the copy is removed. */
export async function unlessEnded<T>(ended: AbortSignal, work: Promise<T>): Promise<T> {
  const stopped = Promise.withResolvers<never>()
  const stop = () => stopped.reject(ended.reason)
  ended.addEventListener('abort', stop, { once: true })
  if (ended.aborted) stop()
  try {
    return await Promise.race([work, stopped.promise])
  } finally {
    ended.removeEventListener('abort', stop)
  }
}
