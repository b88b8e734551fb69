import type { ReactNode } from 'react'
import { useTexts } from '../../texts/texts.tsx'

interface Props {
  readonly title?: string | undefined
  onFilter(): void
  readonly children: ReactNode
}

/** A value in a list: pressing it shows only the rows that share it, and its name says so. */
export function FilterValue({ title, onFilter, children }: Props) {
  const { filters } = useTexts()
  return (
    <button
      type="button"
      title={title ?? filters.only}
      onClick={onFilter}
      className="wrap-anywhere max-w-full rounded-sm text-left decoration-line-strong decoration-dotted underline-offset-4 hover:underline"
    >
      <span className="sr-only">{filters.only}: </span>
      <span>{children}</span>
    </button>
  )
}
