import type { ReactNode } from 'react'

/** Opens the item of a table row. */
export function RowButton({ onPress, children }: { onPress(): void; readonly children: ReactNode }) {
  return (
    <button
      type="button"
      data-row
      onClick={onPress}
      onMouseEnter={({ currentTarget }) => {
        currentTarget.title = currentTarget.textContent
      }}
      className="block max-w-full text-left truncate rounded-sm font-medium decoration-line-strong underline-offset-4 hover:underline focus-visible:whitespace-normal"
    >
      {children}
    </button>
  )
}
