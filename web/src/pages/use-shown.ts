import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import type { Order } from '../routing/filters.ts'
import type { Listed, Shown } from '../ui/lists/list.tsx'

interface Listing<Row> extends Pick<Shown<Row>, 'read'> {
  readonly order: Order
  readonly known: readonly Order[]
}

type Query<Row> = UseQueryOptions<Listed<Row> & { readonly total: number }>

/** A list as the address wants it. */
export function useShown<Row>(listing: Listing<Row> & Query<Row>, view: NonNullable<Shown<Row>['view']>) {
  const { read, order: value, known } = listing
  return { query: useQuery(listing), read, order: { value, known }, view }
}
