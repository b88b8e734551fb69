import type { ReactNode } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../icon.tsx'

export interface Chip {
  readonly key: string
  readonly name: string
  readonly value: ReactNode
  onRemove(): void
}

/** The active filters, each with a button to remove it. */
export function Chips({ chips }: { readonly chips: readonly Chip[] }) {
  const { filters, common } = useTexts()
  if (chips.length === 0) return null
  return (
    <ul aria-label={filters.active} className="flex flex-wrap gap-2">
      {chips.map(({ key, name, value, onRemove }) => (
        <li
          key={key}
          className="flex max-w-full items-center gap-1 rounded-full border border-transparent bg-accent-soft pl-3 text-small text-ink"
        >
          <span className="wrap-anywhere min-w-0 py-1">
            <span className="text-ink-soft">{common.fact(name)}</span>
            <bdi className="font-medium">{value}</bdi>
          </span>
          <button
            type="button"
            aria-label={filters.remove(name)}
            onClick={onRemove}
            className="touch grid size-8 shrink-0 place-items-center rounded-full text-ink-soft hover:text-ink"
          >
            <Icon name="cross" className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  )
}
