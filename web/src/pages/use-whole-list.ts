import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type Filtered, orders } from '../routing/filters.ts'
import { useOrder } from './use-order.ts'

interface Whole<Row> {
  readonly queryKey: readonly string[]
  queryFn(): Promise<readonly Row[]>
}

interface Part {
  readonly page: number
  readonly page_size: number
  readonly order: (typeof orders)[number]
}

/** A list that the server sends whole, newest first: it is sorted and paged here. */
export function useWholeList<Row>(
  query: Whole<Row>,
  { page, size, order: requested }: Filtered<string>,
  isShown: (row: Row) => boolean = () => true,
) {
  const queryClient = useQueryClient()
  const order = orders.find((known) => known === requested) ?? 'newest'
  const list = useQuery({
    ...query,
    select: (all) => partOf(all.filter(isShown), { page, page_size: size, order }),
  })
  const read = async (part: Part) => partOf((await queryClient.ensureQueryData(query)).filter(isShown), part)
  return { list, order: useOrder(order), read }
}

function partOf<Row>(rows: readonly Row[], { page, page_size, order }: Part) {
  const inOrder = order === 'oldest' ? rows.toReversed() : rows
  return { items: inOrder.slice((page - 1) * page_size, page * page_size), total: rows.length }
}
