import type { Compilable } from 'kysely'
import type { Slice } from '../../rules/paging.ts'
import type { Length, Store } from '../store.ts'

/** A page of a list, and the number of rows in the whole list at that moment. */
export async function pageWithTotal<Tables, Row>(
  store: Store<Tables>,
  total: Compilable<{ total: number }>,
  page: Compilable<Row>,
  length: Length = 'short',
): Promise<{ readonly total: number; readonly items: Row[] }> {
  const [[counted], items] = await store.snapshot([total, page], 'routed', length)
  return { total: counted?.total ?? 0, items: [...items] }
}

const SKIPPED_AT_MOST = 1_000

/**
 * The length of a read of one page whose total is known: `long` if many rows come before it, since they are read too.
 */
export function lengthOf({ offset }: Pick<Slice, 'offset'>): Length {
  return offset > SKIPPED_AT_MOST ? 'long' : 'short'
}
