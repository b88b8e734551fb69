import type { ReactNode } from 'react'

/** Opens the item of a table row. */
export function RowButton({ onPress, children }: { onPress(): void; readonly children: ReactNode }) {
  return (
    <button
      type="button"
      data-row
      onClick={onPress}
      className="wrap-anywhere block max-w-full rounded-sm text-left font-medium decoration-line-strong underline-offset-4 hover:underline"
    >
      {children}
    </button>
  )
}
