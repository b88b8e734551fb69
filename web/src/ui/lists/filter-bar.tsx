import type { ReactNode } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { useIsWide } from '../../wide.ts'
import { buttonClass } from '../controls/button.tsx'
import { Icon } from '../icon.tsx'

const rowClass =
  'flex flex-wrap items-start gap-3 *:min-w-0 *:[[role=radiogroup]]:self-end max-sm:*:not-[[role=radiogroup]]:w-full'

/** Filters above a list: side by side if there is room. */
export function FilterBar({ children }: { readonly children: ReactNode }) {
  return <div className={rowClass}>{children}</div>
}

interface FoldedAwayProps {
  /** The number of filters that are set. */
  readonly active: number
  /** True on a phone; in a wide window they keep their place. */
  readonly isNeeded: boolean
  readonly children: ReactNode
}

/** Opens with a button on a phone, so that the first row is on the first screen. */
export function FoldedAway({ active, isNeeded, children }: FoldedAwayProps) {
  const { lists } = useTexts()
  if (useIsWide()) return children
  if (!isNeeded) return null
  return (
    <details className="group">
      <summary className={buttonClass({}, 'w-full cursor-pointer list-none')}>
        {lists.options(active)}{' '}
        <Icon name="chevron-down" className="size-4 transition-transform group-open:rotate-180" />
      </summary>
      <div className={`mt-3 ${rowClass}`}>{children}</div>
    </details>
  )
}
