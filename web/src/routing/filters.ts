export interface Filtered<Name extends string> {
  readonly values: Partial<Record<Name, string>>
  readonly page: number
  readonly size: number
  /** The value in the address; each list knows its own values. */
  readonly order: string
}

export const orders = ['newest', 'oldest'] as const
export const userOrders = ['newest', 'oldest', 'email', 'last_sign_in'] as const
export type Order = (typeof userOrders)[number]

export const pageSizes = [20, 50, 100] as const
const [usualSize] = pageSizes

/** The part of an address about a list: its filters, order and page. */
export function filtersOf<Name extends string>(search: URLSearchParams, names: readonly Name[]): Filtered<Name> {
  const values: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = search.get(name)
    if (value) values[name] = value
  }
  return {
    values,
    page: Math.min(Math.max(1, Math.trunc(Number(search.get('page') ?? 1)) || 1), Number.MAX_SAFE_INTEGER),
    size: pageSizes.find((size) => String(size) === search.get('size')) ?? usualSize,
    order: search.get('order') ?? '',
  }
}
