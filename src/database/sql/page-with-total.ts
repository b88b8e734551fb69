import type { Compilable } from 'kysely'
import type { SnapshotLength, Store } from '../store.ts'

/** A page of a list, and the number of rows in the whole list at that moment. */
export async function pageWithTotal<Tables, Row>(
  store: Store<Tables>,
  total: Compilable<{ total: number }>,
  page: Compilable<Row>,
  length: SnapshotLength = 'short',
): Promise<{ readonly total: number; readonly items: Row[] }> {
  const [[counted], items] = await store.snapshot([total, page], 'routed', length)
  return { total: counted?.total ?? 0, items: [...items] }
}
