import type { ReactNode } from 'react'
import { Link } from '../../routing/router.tsx'
import { noteOpened } from '../lists/opened-row.ts'

/** Leads to the page about a row of a table. */
export function RowLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link
      to={to}
      data-row
      onClick={({ currentTarget }) => noteOpened(currentTarget, to)}
      onMouseEnter={({ currentTarget }) => {
        currentTarget.title = currentTarget.textContent
      }}
      className="block max-w-full truncate rounded-sm font-medium decoration-line-strong underline-offset-4 hover:underline focus-visible:whitespace-normal"
    >
      {children}
    </Link>
  )
}
