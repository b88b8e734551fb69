/** A server gives a statement as long: under load it is slow, and not broken. */
const PATIENCE_MILLISECONDS = 10_000

/** A check that takes too long has failed. */
export async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: silence, reject } = Promise.withResolvers<never>()
  const late = setTimeout(
    () => reject(new Error(`no response within ${PATIENCE_MILLISECONDS / 1000} s`)),
    PATIENCE_MILLISECONDS,
  )
  return Promise.race([answer, silence]).finally(() => clearTimeout(late))
}
