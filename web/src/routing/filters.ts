export interface Filtered<Name extends string> {
  readonly values: Partial<Record<Name, string>>
  readonly page: number
}

/** What the address says about a list: which filters are on, and which page is seen. */
export function filtersOf<Name extends string>(
  search: URLSearchParams,
  names: readonly Name[],
): Filtered<Name> {
  const values: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = search.get(name)
    if (value) values[name] = value
  }
  return { values, page: Math.max(1, Math.trunc(Number(search.get('page') ?? 1)) || 1) }
}
