import type { FormEvent } from 'react'

/** Replaces the browser's own submission. */
export const onSubmit = (act: () => void) => (event: FormEvent) => {
  event.preventDefault()
  act()
}
