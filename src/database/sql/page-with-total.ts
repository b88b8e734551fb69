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

/** Fetches a page whose total is already known; it still reads the rows before the page. */
export function lengthOf({ offset }: Pick<Slice, 'offset'>): Length {
  return offset > SKIPPED_AT_MOST ? 'long' : 'short'
}
