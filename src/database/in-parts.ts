/** One commit that ends millions of old rows would hold up every other write. */
const ROWS_AT_ONCE = 1_000

/** Calls `end` until each of its statements finds fewer rows than its limit. */
export async function inParts(
  end: (atMost: number) => Promise<readonly (readonly unknown[])[]>,
): Promise<void> {
  let ended: readonly (readonly unknown[])[]
  do ended = await end(ROWS_AT_ONCE)
  while (ended.some(({ length }) => length === ROWS_AT_ONCE))
}
