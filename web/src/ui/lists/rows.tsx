import type { ReactNode } from 'react'

interface Props<Item> {
  readonly items: readonly Item[]
  /** The words for an empty list. */
  readonly none: string
  readonly className?: string
  keyOf(item: Item): string
  children(item: Item): ReactNode
}

/** A short list in a card, with a line between its rows. */
export function Rows<Item>({ items, none, className = 'py-2.5', keyOf, children }: Props<Item>) {
  if (items.length === 0) return <p className="text-ink-soft">{none}</p>
  return (
    <ul className="divide-y divide-line">
      {items.map((item) => (
        <li key={keyOf(item)} className={`${className} first:pt-0 last:pb-0`}>
          {children(item)}
        </li>
      ))}
    </ul>
  )
}
