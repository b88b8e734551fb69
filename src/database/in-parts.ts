import type { BatchRows } from './batch-rows.ts'

/** One commit that ends millions of old rows would hold up every other write. */
const ROWS_AT_ONCE = 1_000

/** Calls `end` until each of its statements finds fewer rows than its limit. */
export async function inParts(end: (atMost: number) => Promise<BatchRows>): Promise<void> {
  let ended: BatchRows
  do ended = await end(ROWS_AT_ONCE)
  while (ended.most() >= ROWS_AT_ONCE)
}
