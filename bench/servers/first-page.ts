export interface Row {
  readonly id: string
  readonly created_at: number
}

/** The first page of rows that are all in memory, newest first. */
export function firstPage(rows: readonly Row[]) {
  const sorted = rows.toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1))
  return { items: sorted.slice(0, 20), total: rows.length }
}

/** What a statement on such a table would select. */
export function rowsOf(found: unknown): readonly Row[] {
  return found as readonly Row[]
}
