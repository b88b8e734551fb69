import { filtersOf } from '../routing/filters.ts'
import { type NavigateOptions, useSearchParams } from '../routing/router.tsx'

/** Filters, order, page and open item are in the address, so that a view can be shared. */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const [search, setSearch] = useSearchParams()

  const change = (
    name: string,
    value: string | undefined,
    keeps: readonly string[],
    options?: NavigateOptions,
  ) =>
    setSearch((before) => {
      const next = new URLSearchParams(before)
      if (!keeps.includes('page')) next.delete('page')
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    }, options)

  return {
    ...filtersOf(search, names),
    open: search.get('open') ?? undefined,
    /** Another filter is another list: it starts at its first page. */
    set: (name: Name, value: string | undefined, options?: NavigateOptions) =>
      change(name, value, [], options),
    setPage: (next: number) => change('page', next === 1 ? undefined : String(next), ['page']),
    setSize: (next: string) => change('size', next, []),
    setOrder: (next: string) => change('order', next, []),
    setOpen: (item: string | undefined) => change('open', item, ['page']),
  }
}
