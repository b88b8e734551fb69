import type { RangeValue } from '../date-range.ts'
import { filtersOf } from '../routing/filters.ts'
import { type NavigateOptions, useSearchParams } from '../routing/router.tsx'

interface Choice<Known extends string> {
  readonly value: Known | 'all'
  readonly onChange: (chosen: Known | 'all') => void
}

/**
 * Filters, order, page and open item are in the address, so that a view can be shared. The prefix keeps two lists of one
 * page apart.
 */
export function useFilters<Name extends string>(names: readonly Name[], prefix = '') {
  const [search, setSearch] = useSearchParams()

  const change = (name: string, value: string | undefined, keeps: readonly string[], options?: NavigateOptions) =>
    setSearch((before) => {
      const next = new URLSearchParams(before)
      if (!keeps.includes('page')) next.delete(`${prefix}page`)
      if (value) next.set(prefix + name, value)
      else next.delete(prefix + name)
      return next
    }, options)

  const own = [...search].flatMap(([name, value]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
  )
  const filters = filtersOf(new URLSearchParams(own), names)
  const set = (name: Name, value: string | undefined, options?: NavigateOptions) => change(name, value, [], options)
  return {
    ...filters,
    open: search.get('open') ?? undefined,
    /** Another filter is another list: it starts at its first page. */
    set,
    /** The connection between a search field and the address. */
    search: {
      value: search.get('search') ?? '',
      onSearch: (text: string, options: NavigateOptions) => change('search', text, [], options),
    },
    /** The same for one of several values, or all of them. */
    choice: <Known extends string>(name: Name, known: readonly Known[]): Choice<Known> => ({
      value: known.find((one) => one === filters.values[name]) ?? 'all',
      onChange: (chosen: Known | 'all') => set(name, chosen === 'all' ? undefined : chosen),
    }),
    range: (name: Name) => ({
      value: filters.values[name],
      // The browser reports a day after each digit.
      onChange: (range: RangeValue) => {
        const isTyped = [filters.values[name], range].every((one) => one?.includes('..'))
        set(name, range, { replace: isTyped })
      },
    }),
    setPage: (next: number) => change('page', next === 1 ? undefined : String(next), ['page']),
    setSize: (next: string) => change('size', next, []),
    setOrder: (next: string) => change('order', next, []),
    clear: () =>
      setSearch((before) => {
        const next = new URLSearchParams(before)
        for (const name of ['page', ...names]) next.delete(prefix + name)
        return next
      }),
    /** Does nothing if the user has opened or closed an item while an answer was on its way. */
    setOpen: (item: string | undefined) => {
      const isStill = new URLSearchParams(location.search).get('open') === search.get('open')
      if (isStill) change('open', item, ['page'])
    },
  }
}
