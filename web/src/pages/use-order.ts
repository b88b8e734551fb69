import { type Order, orders } from '../routing/filters.ts'
import { useTexts } from '../texts/texts.tsx'

/** The order of a list, and the labels of all its orders. */
export function useOrder(value: Order, known: readonly Order[] = orders) {
  const { lists } = useTexts()
  return { value, options: Object.fromEntries(known.map((order) => [order, lists.orders[order]])) }
}
