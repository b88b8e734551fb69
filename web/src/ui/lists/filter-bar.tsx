import type { ReactNode } from 'react'

/** Filters above a list: side by side if there is room. */
export function FilterBar({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-start gap-3 *:min-w-0 *:[[role=radiogroup]]:self-end max-sm:*:not-[[role=radiogroup]]:w-full">
      {children}
    </div>
  )
}
