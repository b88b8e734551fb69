import type { FormEvent } from 'react'

/** Instead of what the browser would do with a form. */
export const onSubmit = (act: () => void) => (event: FormEvent) => {
  event.preventDefault()
  act()
}
