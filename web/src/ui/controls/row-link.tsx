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
      className="wrap-anywhere block max-w-full rounded-sm font-medium decoration-line-strong underline-offset-4 hover:underline"
    >
      {children}
    </Link>
  )
}
